internal import Glibc

/// Schemes in plain memory, for readers that may not count references: each with its length before it.
package struct SchemeList {
    private let raw: UnsafeMutableRawBufferPointer

    /// Copies the schemes, which are in lower case and have at most 128 bytes.
    package init(_ schemes: [String]) {
        let bytes = schemes.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        raw = .allocate(byteCount: bytes.count, alignment: 1)
        raw.copyBytes(from: bytes)
    }

    package func free() { raw.deallocate() }

    /// The first one; nil where there is none. It lives as long as the list.
    var first: UnsafeRawBufferPointer? {
        raw.first.map { UnsafeRawBufferPointer(rebasing: raw[1..<(1 + Int($0))]) }
    }

    @inline(__always) var isEmpty: Bool { raw.count == 0 }

    /// Whether a scheme is among them.
    package func contains(_ scheme: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at < raw.count {
            let length = Int(raw[at])
            let entry = UnsafeRawBufferPointer(rebasing: raw[(at + 1)..<(at + 1 + length)])
            if equalBytes(entry, scheme) { return true }
            at += length + 1
        }
        return false
    }
}
