/// The subject of a listener: an identifier, or all that begin with a prefix.
struct Topic: Hashable {
    /// As it was written.
    let text: [UInt8]
    /// Whether it is `*` or ends with `.*`.
    let isPrefix: Bool
    let hash: UInt64

    init(_ bytes: UnsafeRawBufferPointer) throws(CrosstieError) {
        // Before anything is read or copied: the size may be any number. Two more are for `.*`.
        guard bytes.count <= Identifier.maximumSize &+ 2 else { throw .malformedIdentifier(bytes) }
        let isPrefix = bytes.last == UInt8(ascii: "*")
        text = Array(bytes)
        self.isPrefix = isPrefix
        guard let hash = isPrefix ? Topic.prefixHash(bytes) : Identifier(bytes)?.hash else {
            throw .malformedIdentifier(bytes)
        }
        self.hash = hash
    }

    private init(text: [UInt8], hash: UInt64) {
        self.text = text
        isPrefix = false
        self.hash = hash
    }

    /// The members of the group.
    static var members: Topic { Topic(text: [], hash: IdentifierHash.members) }

    /// The connection to the group's server.
    static var connection: Topic { Topic(text: [], hash: IdentifierHash.connection) }

    /// The common beginning of the identifiers of a prefix; for an identifier, the whole.
    var stem: ArraySlice<UInt8> { isPrefix ? text.dropLast() : text[...] }

    private static func prefixHash(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        let stem = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
        if stem.isEmpty { return IdentifierHash().value }
        guard stem.last == UInt8(ascii: "."), Identifier(UnsafeRawBufferPointer(rebasing: stem.dropLast())) != nil
        else {
            return nil
        }
        var hash = IdentifierHash()
        for byte in stem { hash.add(byte) }
        return hash.value
    }
}
