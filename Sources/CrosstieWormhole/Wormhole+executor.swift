extension Wormhole {
    /// The executor of a listener.
    public enum Executor: Sendable {
        /// On the wormhole's own thread.
        case wormhole
        /// The loop's dispatching thread, for example of ``Wormhole/loop()``. After the loop is released it is the
        /// wormhole's thread.
        case loop(Loop)
        /// On workers of a dispatcher of a bus; of its default one for an empty name. When the bus closes, the listener
        /// gets no more messages.
        case dispatcher(of: Bus, named: String = "")

        func resolved() throws(CrosstieError) -> ListenerExecutor {
            switch self {
            case .wormhole: .wormhole
            case .loop(let loop): .loop(loop.queue)
            case .dispatcher(let bus, let name): .dispatcher(try DispatcherExecutor(of: bus.handle, named: name))
            }
        }
    }

    /// The wormhole's own loop, created on first use. It ends with the wormhole.
    ///
    /// - Throws: `systemFailure` (no descriptor), `closed`, `forked`.
    public func loop() throws(CrosstieError) -> Loop { Loop(try core.loop()) }
}
