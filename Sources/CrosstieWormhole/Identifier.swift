/// A checked identifier: `[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*`, at most 128 bytes. It borrows its bytes.
package struct Identifier {
    let bytes: UnsafeRawBufferPointer
    let hash: UInt64

    package static var maximumSize: Int { 128 }

    /// Nil when the bytes are not an identifier.
    @inline(__always)
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0, bytes.count <= Identifier.maximumSize else { return nil }
        var hash = IdentifierHash()
        var isAtStart = true
        for position in 0..<bytes.count {
            let byte = bytes[position]
            if Identifier.isWordByte(byte, first: position == 0) {
                isAtStart = false
            } else if byte == UInt8(ascii: "."), !isAtStart {
                isAtStart = true
            } else {
                return nil
            }
            hash.add(byte)
        }
        guard !isAtStart else { return nil }
        self.bytes = bytes
        self.hash = hash.value
    }

    /// Calls `body` with the hash of each prefix pattern that covers the identifier: `*`, `a.*`, `a.b.*`.
    @inline(__always)
    func forEachPrefixHash(_ body: (UInt64) -> Void) {
        var hash = IdentifierHash()
        body(hash.value)
        for position in 0..<bytes.count {
            hash.add(bytes[position])
            if bytes[position] == UInt8(ascii: ".") { body(hash.value) }
        }
    }

    @inline(__always)
    private static func isWordByte(_ byte: UInt8, first: Bool) -> Bool {
        if (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 { return true }
        return !first && (byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-"))
    }
}

/// FNV-1a, which yields the hash of every prefix on the way. It is part of the store's format.
struct IdentifierHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    @inline(__always)
    mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }

    /// Never 0, which stands for *everything*. The bits are mixed, since buckets are chosen by the low ones.
    @inline(__always)
    var value: UInt64 {
        let mixed = (state ^ state >> 32) &* 0x9e37_79b9_7f4a_7c15
        return (mixed ^ mixed >> 29) | 1 << 63
    }
}

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
    static var members: Topic { Topic(text: [], hash: Wakeups.presenceHash) }

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

extension CrosstieError {
    /// One that is too long would be well formed but for that.
    static func malformedIdentifier(_ bytes: UnsafeRawBufferPointer) -> CrosstieError {
        let size = bytes.count > Identifier.maximumSize ? ": it has over \(Identifier.maximumSize) bytes" : ""
        return CrosstieError(.invalidIdentifier, "\(Quotation.quoted(bytes)) is not an identifier\(size)")
    }
}
