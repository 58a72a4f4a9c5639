extension Wormhole {
    /// The connection to the server of a group with an address.
    ///
    /// - Throws: `unsupported` (a group on this machine, or an engine without a connection), `closed`, `forked`.
    public var connection: Connection { get throws(CrosstieError) { try core.connection() } }

    /// Binds a listener to the connection. First it gets a message of kind `connection` with the present state, then one
    /// for each change; a state that ends before the listener is called is skipped. The message's value is a map of the
    /// fields of ``Connection``.
    ///
    /// - Parameters: as for ``listen(_:name:initialDelivery:on:_:)``; `initialDelivery` is false to get changes only.
    /// - Throws: as that, and `unsupported` as for ``connection``.
    public func listenConnection(
        name: String? = nil, initialDelivery: Bool = true, on executor: Executor = .wormhole,
        _ body: @escaping @Sendable (Message) -> Void
    ) throws(CrosstieError) -> Listener {
        try listen(name, initialDelivery, executor) { options throws(CrosstieError) in
            try core.makeConnectionBinding(options, call: body, end: {})
        }
    }

    /// The connection to the server of a group.
    public struct Connection: Sendable, Hashable {
        public enum State: String, Sendable {
            /// The server answers.
            case connected
            /// It does not; the wormhole tries again by itself.
            case reconnecting
            /// For good: the server refused the log-in.
            case closed
        }

        public let state: State
        /// Since when: nanoseconds since 1970-01-01 UTC.
        public let since: Int64
        /// The server's name or address; empty if unknown.
        public let server: String
        /// The server's version; empty if unknown.
        public let version: String
        /// Why it is not connected; else empty.
        public let reason: String
    }
}

extension Wormhole.Connection {
    /// As C has it.
    package var value: Value {
        [
            "state": .string(state.rawValue), "since": .int(since), "server": .string(server),
            "version": .string(version), "reason": .string(reason),
        ]
    }
}
