/// Says of a stream of bytes whether it is UTF-8, a byte at a time.
package struct UTF8Validator {
    private var missing: UInt8 = 0
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    /// True where a character may end.
    var isComplete: Bool { missing == 0 }

    /// Takes the next byte. False when no valid text goes on so.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        if missing == 0 { return byte < 0x80 || start(byte) }
        guard byte >= low, byte <= high else { return false }
        missing &-= 1
        (low, high) = (0x80, 0xBF)
        return true
    }

    /// A first byte, which also bounds the second: no overlong forms, no surrogates, nothing past U+10FFFF.
    private mutating func start(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, low) = (2, 0xA0)
        case 0xED: (missing, high) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, low) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, high) = (3, 0x8F)
        default: return false
        }
        return true
    }

    /// Where the first character that is none begins; the end, when all are.
    package static func firstInvalid(in bytes: UnsafeRawBufferPointer) -> Int {
        var validator = UTF8Validator()
        var character = 0
        for at in 0..<bytes.count {
            if validator.isComplete { character = at }
            guard validator.take(bytes[at]) else { return character }
        }
        return validator.isComplete ? bytes.count : character
    }
}
