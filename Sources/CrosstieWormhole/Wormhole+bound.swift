extension Wormhole {
    /// A listener in a listing.
    public struct Bound: Hashable, Sendable {
        /// Its kind of delivery.
        public enum Delivery: String, Sendable {
            case state, queue, durable
            /// The members of the group.
            case members
            /// The connection to the group's server.
            case connection
        }

        /// Its executor.
        public enum Location: Hashable, Sendable {
            case wormhole, loop
            /// Empty for a bus's default one.
            case dispatcher(named: String)
        }

        /// Its identifier; nil for ``Delivery/members`` and ``Delivery/connection``.
        public let identifier: String?
        /// Empty for none.
        public let name: String
        public let delivery: Delivery
        public let location: Location
    }
}
