/// The executor of a listener.
package enum ListenerExecutor {
    /// On its wormhole's own thread.
    case wormhole
    /// Where a loop is dispatched.
    case loop(LoopQueue)
    /// On workers of a dispatcher.
    case dispatcher(DispatcherExecutor)

    var isElsewhere: Bool { if case .wormhole = self { false } else { true } }

    /// Leaves a job to a loop or a dispatcher. *closed* when that has ended; anything else than *ok* when it has no
    /// room.
    func add(_ job: any Job) -> Status {
        switch self {
        case .wormhole: .ok
        case .loop(let loop): loop.add(.job(job))
        case .dispatcher(let dispatcher): dispatcher.add(job)
        }
    }
}
