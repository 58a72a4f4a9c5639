/// An IPv6 address: read in any of its text forms, written in the one of RFC 5952.
struct IPv6Address {
    private(set) var groups: [UInt16]

    /// Reads the text between the brackets; `nil` when it is not an address. Zone ids are none.
    init?(_ text: UnsafeRawBufferPointer) {
        var before: [UInt16] = []
        var after: [UInt16] = []
        var gap = false
        var at = 0
        if text.count >= 2, text[0] == 0x3A, text[1] == 0x3A { (gap, at) = (true, 2) }
        while at < text.count {
            let end = text[at...].firstIndex(of: 0x3A) ?? text.count
            guard
                let parsed = Self.groups(of: UnsafeRawBufferPointer(rebasing: text[at..<end]), last: end == text.count),
                before.count + after.count < 8
            else { return nil }
            if gap { after += parsed } else { before += parsed }
            guard end < text.count else { break }
            at = end + 1
            guard at < text.count else { return nil }
            guard text[at] == 0x3A else { continue }
            guard !gap else { return nil }
            (gap, at) = (true, at + 1)
        }
        let missing = 8 - before.count - after.count
        guard gap ? missing >= 1 : missing == 0 else { return nil }
        groups = before + Array(repeating: 0, count: missing) + after
    }

    /// One group of up to four digits; or two, where an IPv4 address ends the text.
    private static func groups(of piece: UnsafeRawBufferPointer, last: Bool) -> [UInt16]? {
        if last, let ipv4 = HostName.ipv4(piece) { return [ipv4.high, ipv4.low] }
        guard (1...4).contains(piece.count) else { return nil }
        var value: UInt16 = 0
        for byte in piece {
            let digit = ASCII.hexValue(byte)
            guard digit < 16 else { return nil }
            value = value << 4 | UInt16(digit)
        }
        return [value]
    }

    /// Lower-case, no leading zeros, the first longest run of zeros written `::`.
    var text: String {
        guard let run = longestZeros else { return Self.join(groups[...]) }
        return Self.join(groups[..<run.lowerBound]) + "::" + Self.join(groups[run.upperBound...])
    }

    private static func join(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    private var longestZeros: Range<Int>? {
        var best = 0..<1
        var start = 0
        for at in 0...8 where at == 8 || groups[at] != 0 {
            if at - start > best.count { best = start..<at }
            start = at + 1
        }
        return best.count >= 2 ? best : nil
    }
}
