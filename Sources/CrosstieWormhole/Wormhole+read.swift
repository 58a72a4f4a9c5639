extension Wormhole {
    /// The current message of an identifier; nil if nothing is stored.
    ///
    /// - Throws: `invalidIdentifier`, `corruptData` (the stored record cannot be decoded), `busy`, `outOfMemory`, `systemFailure`,
    ///   `closed`, `forked`.
    public func message(_ identifier: String) throws(CrosstieError) -> Message? {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try core.message(bytes) }
    }

    /// The identifiers that have a message, in the order of their bytes.
    ///
    /// - Parameter topic: an identifier, one followed by `.*`, or `*` for all.
    /// - Throws: `invalidIdentifier`, `corruptData`, `busy`, `limitExceeded`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    public func identifiers(_ topic: String = "*") throws(CrosstieError) -> [String] {
        try Array(topic.utf8).withBytes { bytes throws(CrosstieError) in try core.identifiers(bytes) }
    }

    /// A member of a group.
    public struct Member: Sendable, Hashable {
        public let pid: Int32
        /// The sender's name in its messages.
        public let name: String
        /// Since when: nanoseconds since 1970-01-01 UTC.
        public let since: Int64
        /// Whether it is this wormhole.
        public let isSelf: Bool
    }

    /// The members of the group, in all processes, in the order in which they joined; exact, however others have ended.
    ///
    /// - Throws: `closed`, `forked`.
    public func members() throws(CrosstieError) -> [Member] { try core.members() }
}
