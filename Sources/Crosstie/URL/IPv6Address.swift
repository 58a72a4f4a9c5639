/// An IPv6 address: read in any of its text forms, written in the one of RFC 5952.
struct IPv6Address {
    private var groups = SIMD8<UInt16>()
    private var count = 0

    /// Reads the text between the brackets; `nil` when it is not an address. Zone ids are none.
    init?(_ text: UnsafeRawBufferPointer) {
        var gap: Int?
        var at = 0
        if text.count >= 2, text[0] == 0x3A, text[1] == 0x3A { (gap, at) = (0, 2) }
        while at < text.count {
            guard let end = readGroups(text, from: at) else { return nil }
            guard end < text.count else { break }
            at = end + 1
            guard at < text.count else { return nil }
            guard text[at] == 0x3A else { continue }
            guard gap == nil else { return nil }
            (gap, at) = (count, at + 1)
        }
        guard let gap else {
            if count == 8 { return }
            return nil
        }
        guard count < 8 else { return nil }
        widen(gap)
    }

    /// Reads up to the next colon: one group of up to four digits, or two where an IPv4 address ends the text.
    private mutating func readGroups(_ text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var (value, end) = (UInt16(0), start)
        while end < text.count, end - start < 4, ASCII.hexValue(text[end]) < 16 {
            value = value << 4 | UInt16(ASCII.hexValue(text[end]))
            end += 1
        }
        if end > start, end == text.count || text[end] == 0x3A { return add(value) ? end : nil }
        guard let tail = HostName.ipv4(UnsafeRawBufferPointer(rebasing: text[start...])) else { return nil }
        return add(tail.high) && add(tail.low) ? text.count : nil
    }

    private mutating func add(_ group: UInt16) -> Bool {
        guard count < 8 else { return false }
        groups[count] = group
        count += 1
        return true
    }

    /// Puts the zeros that `::` stands for before the group at `gap`.
    private mutating func widen(_ gap: Int) {
        let shift = 8 - count
        for at in stride(from: 7, through: gap, by: -1) {
            groups[at] = at - shift >= gap ? groups[at - shift] : 0
        }
    }

    /// Lower-case, no leading zeros, the first longest run of zeros written `::`.
    func write(_ put: (UInt8) -> Void) {
        let zeros = longestZeros
        var at = 0
        while at < 8 {
            if zeros.count >= 2, at == zeros.lowerBound {
                put(0x3A)
                put(0x3A)
                at = zeros.upperBound
                continue
            }
            if at > 0, at != zeros.upperBound || zeros.count < 2 { put(0x3A) }
            Self.write(groups[at], put)
            at += 1
        }
    }

    private static func write(_ group: UInt16, _ put: (UInt8) -> Void) {
        var shift = 12
        while shift > 0, group >> shift == 0 { shift -= 4 }
        while shift >= 0 {
            put(ASCII.lower(ASCII.hexDigit(UInt8(truncatingIfNeeded: group >> shift & 15))))
            shift -= 4
        }
    }

    private var longestZeros: Range<Int> {
        var best = 0..<0
        var start = 0
        for at in 0...8 where at == 8 || groups[at] != 0 {
            if at - start > best.count { best = start..<at }
            start = at + 1
        }
        return best
    }
}
