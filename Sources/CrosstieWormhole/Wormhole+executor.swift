extension Wormhole {
    /// The executor of a listener.
    public enum Executor: Sendable {
        /// On the wormhole's own thread.
        case wormhole
        /// Where a loop is dispatched, ``Wormhole/loop()`` for one. When the loop goes away it is the wormhole's
        /// thread.
        case loop(Loop)
        /// On workers of a dispatcher of a bus; of its default one for an empty name. When the bus closes, the listener
        /// gets no more messages.
        case dispatcher(of: Bus, named: String = "")

        func resolved() throws(CrosstieError) -> ListenerExecutor {
            switch self {
            case .wormhole: .wormhole
            case .loop(let loop): .loop(loop.queue)
            case .dispatcher(let bus, let name): .dispatcher(try DispatcherPlace(of: bus.handle, named: name))
            }
        }
    }

    /// The wormhole's own loop, made when it is first asked for. It ends with the wormhole.
    ///
    /// - Throws: `systemFailure` (no descriptor), `closed`, `forked`.
    public func loop() throws(CrosstieError) -> Loop { Loop(try core.loop()) }
}
