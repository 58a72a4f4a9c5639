/// The rules for a host that is a name. They are the same for URLs, patterns and generated URLs.
enum HostName {
    struct Problem: Equatable {
        let reason: ParseFailure.Reason
        /// Counted from the host's first byte.
        let position: Int
    }

    /// The error in a host, in either case of letters; `nil` for a good one.
    ///
    /// `web` for `http` and `https`, which need a host and know IPv4 addresses.
    static func problem(in host: UnsafeRawBufferPointer, web: Bool) -> Problem? {
        if !web, isOneLabel(host) { return nil }
        if host.isEmpty { return web ? Problem(reason: .hostMissing, position: 0) : nil }
        if let bad = host.firstIndex(where: { !ASCII.isWord($0) && $0 != 0x2E }) {
            return Problem(reason: host[bad] == 0x40 ? .userinfo : .host, position: bad)
        }
        if host.count > URLLimits.host { return Problem(reason: .hostTooLong, position: URLLimits.host) }
        if let bad = badLabel(in: host) { return Problem(reason: .label, position: bad) }
        let last = host.lastIndex(of: 0x2E).map { $0 + 1 } ?? 0
        guard web, isNumeric(UnsafeRawBufferPointer(rebasing: host[last...])), !isIPv4(host) else { return nil }
        return Problem(reason: .ipv4, position: 0)
    }

    /// Letters, digits and `_` alone: most hosts of custom schemes are.
    private static func isOneLabel(_ host: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at < host.count, ASCII.isName(host[at]) { at += 1 }
        return at == host.count && (1...URLLimits.label).contains(at)
    }

    /// An IPv6 address as a URL has it.
    static func address(inBrackets host: UnsafeRawBufferPointer) -> IPv6Address? {
        guard host.count > 2, host[0] == 0x5B, host[host.count - 1] == 0x5D else { return nil }
        return IPv6Address(UnsafeRawBufferPointer(rebasing: host[1..<(host.count - 1)]))
    }

    static func isAddressInBrackets(_ host: UnsafeRawBufferPointer) -> Bool { address(inBrackets: host) != nil }

    private static func badLabel(in host: UnsafeRawBufferPointer) -> Int? {
        var start = 0
        for at in 0...host.count where at == host.count || host[at] == 0x2E {
            let length = at - start
            if length < 1 || length > URLLimits.label || host[start] == 0x2D || host[at - 1] == 0x2D { return start }
            start = at + 1
        }
        return nil
    }

    /// Digits alone, or what starts as a hexadecimal number does: other parsers take those for an address.
    private static func isNumeric(_ label: UnsafeRawBufferPointer) -> Bool {
        if label.allSatisfy(ASCII.isDigit) { return true }
        return label.count >= 2 && label[0] == 0x30 && label[1] | 0x20 == 0x78
    }

    /// Four decimals from 0 to 255 without leading zeros.
    static func isIPv4(_ text: UnsafeRawBufferPointer) -> Bool { ipv4(text) != nil }

    static func ipv4(_ text: UnsafeRawBufferPointer) -> (high: UInt16, low: UInt16)? {
        var (address, value, digits, dots) = (UInt32(0), UInt32(0), 0, 0)
        for byte in text {
            if byte == 0x2E {
                guard digits > 0, dots < 3 else { return nil }
                (address, value, digits, dots) = (address << 8 | value, 0, 0, dots + 1)
            } else {
                guard ASCII.isDigit(byte), digits == 0 || value > 0 else { return nil }
                (value, digits) = (value * 10 + UInt32(byte &- 0x30), digits + 1)
                guard value <= 255 else { return nil }
            }
        }
        guard dots == 3, digits > 0 else { return nil }
        address = address << 8 | value
        return (UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address))
    }
}
