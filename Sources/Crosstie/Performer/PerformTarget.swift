/// A performed target: `prefix:what`, where the prefix selects the resolver of the rest.
package enum PerformTarget {
    static var maximumSize: Int { Callee.maximumTargetSize }
    static var maximumPrefixSize: Int { 32 }
    static var colon: UInt8 { UInt8(ascii: ":") }

    /// The bytes of a target's prefix, its colon not counted; nil for a text that is no target.
    static func prefixSize(of target: UnsafeRawBufferPointer) -> Int? {
        guard target.count <= maximumSize, let size = target.firstIndex(of: colon), target.count > size &+ 1,
            isPrefix(target[..<size])
        else { return nil }
        return target.contains(where: ASCII.isControl) ? nil : size
    }

    /// Whether a text is a letter, then letters and digits, of 32 bytes at most.
    static func isPrefix(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = text.first, ASCII.isLetter(first), text.count <= maximumPrefixSize else { return false }
        return text.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) }
    }

    /// *ok*, or what is wrong with names that are not too long: *invalidIdentifier*, *invalidUTF8*.
    static func status(of target: UnsafeRawBufferPointer, _ selector: UnsafeRawBufferPointer = .empty) -> Status {
        guard isUTF8(target), isUTF8(selector) else { return .invalidUTF8 }
        return prefixSize(of: target) == nil ? .invalidIdentifier : .ok
    }

    /// - Throws: *limitExceeded*, *invalidUTF8*, *invalidIdentifier*.
    package static func check(_ target: UnsafeRawBufferPointer) throws(CrosstieError) {
        let status = target.count > maximumSize ? .limitExceeded : status(of: target)
        guard status == .ok else { throw Callee(target, .empty, .null).problem(status, of: .perform) }
    }
}
