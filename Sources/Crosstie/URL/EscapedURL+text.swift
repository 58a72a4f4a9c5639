internal import CPlatform
internal import Glibc

/// Moving and decoding of text.
extension EscapedURL {
    /// Takes the bytes before a stop, which mean themselves.
    @inline(__always)
    mutating func take(upTo stop: Int) -> Bool {
        let size = stop &- at
        guard size > 0 else { return true }
        guard characters.isComplete else { return false }
        if shift > 0 { move(size) }
        if decodes { copy(from: at &- shift, count: size) }
        at = stop
        return true
    }

    /// Between escapes there are few bytes.
    @inline(__always)
    private func move(_ size: Int) {
        let (source, target) = (bytes + at, bytes + (at &- shift))
        guard size < 8 else { memmove(target, source, size); return }
        for index in 0..<size { target[index] = source[index] }
    }

    /// Takes the delimiter here, before which no character may be incomplete.
    @inline(__always)
    mutating func delimiter() -> Bool {
        guard characters.isComplete else { return false }
        bytes[at &- shift] = bytes[at]
        at &+= 1
        return true
    }

    /// The byte of the escape here; 0, which no URL may hold, where there is none. The slack is no digit.
    @inline(__always)
    var escapedByte: UInt8 {
        let (high, low) = (ASCII.hexValue(bytes[at &+ 1]), ASCII.hexValue(bytes[at &+ 2]))
        return high | low < 16 ? high << 4 | low : 0
    }

    /// Takes the escape here, of a byte. False where there is none.
    @inline(__always)
    mutating func escape(_ byte: UInt8) -> Bool {
        guard byte != 0 else { return false }
        if decodes { putDecoded(byte) }
        if ASCII.isUnreserved(byte) {
            bytes[at &- shift] = byte
            shift &+= 2
        } else {
            let (high, low) = (bytes[at &+ 1], bytes[at &+ 2])
            let slot = bytes + (at &- shift)
            slot[0] = 0x25
            slot[1] = upper(high)
            slot[2] = upper(low)
            hasEscape = true
        }
        at &+= 3
        return true
    }

    /// A hexadecimal digit in upper case: letters have the bit 0x40.
    @inline(__always)
    private func upper(_ digit: UInt8) -> UInt8 { digit & ~(digit >> 1 & 0x20) }

    @inline(__always)
    mutating func putDecoded(_ byte: UInt8) {
        bytes[decodedEnd] = byte
        decodedEnd &+= 1
    }

    /// Copies to the decoded text, in steps of 16 bytes. The room for it, and the slack, have been checked.
    @inline(__always)
    mutating func copy(from begin: Int, count: Int) {
        let (source, target) = (UnsafeRawPointer(bytes + begin), UnsafeMutableRawPointer(bytes + decodedEnd))
        var done = 0
        while done < count {
            let block = source.loadUnaligned(fromByteOffset: done, as: SIMD16<UInt8>.self)
            target.storeBytes(of: block, toByteOffset: done, as: SIMD16<UInt8>.self)
            done &+= 16
        }
        decodedEnd &+= count
    }
}
