extension Wormhole {
    /// The current message of an identifier; nil if nothing is stored.
    ///
    /// - Throws: `invalidIdentifier`, `corruptData` (the stored record cannot be decoded), `busy`, `outOfMemory`, `systemFailure`,
    ///   `closed`, `forked`.
    public func message(_ identifier: String) throws(CrosstieError) -> Message? {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try member.message(bytes) }
    }

    /// The identifiers that have a message, in the order of their bytes.
    ///
    /// - Parameter topic: an identifier, one followed by `.*`, or `*` for all.
    /// - Throws: `invalidIdentifier`, `corruptData`, `busy`, `limitExceeded`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    public func identifiers(_ topic: String = "*") throws(CrosstieError) -> [String] {
        try Array(topic.utf8).withBytes { bytes throws(CrosstieError) in try member.identifiers(bytes) }
    }

    /// Somebody who has a group open.
    public struct Participant: Sendable, Hashable {
        public let pid: Int32
        /// What its messages name as their sender.
        public let name: String
        /// Since when: nanoseconds since 1970-01-01 UTC.
        public let since: Int64
        /// Whether it is the wormhole that was asked.
        public let isSelf: Bool
    }

    /// Who has the group open now, in all processes, in the order in which they came; exact, by whatever
    /// death one has gone.
    ///
    /// - Throws: `closed`, `forked`.
    public func members() throws(CrosstieError) -> [Participant] { try member.participants() }
}
