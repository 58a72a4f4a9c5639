/// Host and port.
extension URLNormalizer {
    /// Reads from behind `//` to the path, and writes it in normal form.
    mutating func authority() throws(ParseFailure) {
        put(0x2F)
        put(0x2F)
        let end = find(0x2F, before: pathEnd)
        let user = find(0x40, before: end)
        guard user == end else { throw ParseFailure(.userinfo, at: user) }
        if starts(with: 0x5B) {
            try addressHost(before: end)
        } else {
            try namedHost(before: end)
        }
        if at < end { try port(before: end) }
        at = end
    }

    private mutating func namedHost(before end: Int) throws(ParseFailure) {
        let hostEnd = find(0x3A, before: end)
        let host = UnsafeRawBufferPointer(rebasing: input[at..<hostEnd])
        if let problem = hostProblem(host) {
            throw ParseFailure(problem.reason, at: at + problem.position)
        }
        // `scheme://:80/` names a port of nothing.
        guard hostEnd == end || !host.isEmpty else { throw ParseFailure(.hostMissing, at: at) }
        let start = written
        for byte in host { put(ASCII.lower(byte)) }
        setHost(from: start, written: at..<hostEnd)
        at = hostEnd
    }

    /// Excludes characters at the beginning and end of a foreign host's labels that parsers read differently.
    private func hostProblem(_ host: UnsafeRawBufferPointer) -> HostName.Problem? {
        guard isForeign, host.contains(0x2D) else { return HostName.problem(in: host, web: isWeb) }
        return host.map { $0 == 0x2D ? 0x61 : $0 }.withUnsafeBytes { HostName.problem(in: $0, web: isWeb) }
    }

    private mutating func addressHost(before end: Int) throws(ParseFailure) {
        let close = find(0x5D, before: end)
        guard close < end, close + 1 == end || input[close + 1] == 0x3A,
            let address = IPv6Address(UnsafeRawBufferPointer(rebasing: input[(at + 1)..<close]))
        else { throw ParseFailure(.ipv6, at: at) }
        let start = written
        put(0x5B)
        address.write { byte in put(byte) }
        put(0x5D)
        setHost(from: start, written: at..<(close + 1))
        at = close + 1
    }

    /// From the colon on.
    private mutating func port(before end: Int) throws(ParseFailure) {
        var value = 0
        for index in (at + 1)..<end {
            let byte = input[index]
            value = value * 10 + Int(byte &- 0x30)
            guard ASCII.isDigit(byte), value > 0, value <= 65_535 else { throw ParseFailure(.port, at: index) }
        }
        guard value > 0 else { throw ParseFailure(.port, at: at) }
        if let standard = WebScheme.defaultPort(writtenScheme), Int(standard) == value { return }
        parts.pointee.port = UInt16(truncatingIfNeeded: value)
        put(input, at..<end)
    }
}
