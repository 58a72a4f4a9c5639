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

extension CrosstieError {
    /// One that is too long would be well formed but for that.
    static func malformedIdentifier(_ bytes: UnsafeRawBufferPointer) -> CrosstieError {
        let size = bytes.count > Identifier.maximumSize ? ": it has over \(Identifier.maximumSize) bytes" : ""
        return CrosstieError(.invalidIdentifier, "\(Quotation.quoted(bytes)) is not an identifier\(size)")
    }
}
