internal import CPlatform

/// Byte classes of URLs and patterns. All of them speak of one byte and of ASCII alone.
enum ASCII {
    @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    @inline(__always) static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    @inline(__always) static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    /// `[A-Za-z0-9_]`
    @inline(__always)
    static func isName(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == 0x5F }

    /// `[A-Za-z0-9_-]`
    @inline(__always)
    static func isWord(_ byte: UInt8) -> Bool { isName(byte) || byte == 0x2D }

    /// `[A-Za-z0-9+._-]`
    @inline(__always)
    static func isScheme(_ byte: UInt8) -> Bool { isWord(byte) || byte == 0x2B || byte == 0x2E }

    /// RFC 3986's unreserved bytes, which the normal form never escapes.
    @inline(__always)
    static func isUnreserved(_ byte: UInt8) -> Bool {
        // A bit for each: `-`, `.` and digits; letters, `_` and `~`.
        let bits: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x47FF_FFFE_87FF_FFFE
        return byte < 0x80 && (bits &>> UInt64(byte)) & 1 != 0
    }

    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The value of a hexadecimal digit; more than 15 for any other byte.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt8 { cp_hex_value(byte) }

    /// The upper-case digit of a value below 16.
    @inline(__always)
    static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? value &+ 0x30 : value &+ 0x37 }
}
