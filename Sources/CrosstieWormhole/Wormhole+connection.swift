extension Wormhole {
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
