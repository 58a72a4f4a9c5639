/// Literals and suffixes, which are compared decoded.
extension PatternParser {
    /// A literal host; an address in its normal form.
    mutating func host(_ range: Range<Int>) throws(CrosstieError) -> SegmentRange {
        let host = UnsafeRawBufferPointer(rebasing: input[range])
        if let address = HostName.address(inBrackets: host) {
            var normal: [UInt8] = [0x5B]
            address.write { normal.append($0) }
            return store(normal + [0x5D])
        }
        guard let problem = HostName.problem(in: host, web: isWeb) else { return segmentRange(of: range) }
        let hasPort = problem.position < host.count && host[problem.position] == 0x3A
        let isAddress = host.first == 0x5B
        throw Self.error(
            isAddress ? ParseFailure.Reason.ipv6.message : hasPort ? "a pattern has no port" : problem.reason.message,
            at: range.lowerBound + (isAddress ? 0 : problem.position))
    }

    /// The text of a literal segment or of a suffix, its escapes decoded.
    mutating func text(_ range: Range<Int>) throws(CrosstieError) -> SegmentRange {
        try checkBytes(range)
        return input[range].contains(0x25) ? store(try decoded(range)) : segmentRange(of: range)
    }

    /// Checks the bytes that are not escaped.
    func checkBytes(_ range: Range<Int>) throws(CrosstieError) {
        for at in range where Self.isReserved(input[at]) && (input[at] != 0x25 || count == 0) {
            throw Self.error(refusal(of: input[at]), at: at)
        }
    }

    private func decoded(_ range: Range<Int>) throws(CrosstieError) -> [UInt8] {
        var bytes: [UInt8] = []
        var at = range.lowerBound
        while at < range.upperBound {
            guard input[at] == 0x25 else {
                bytes.append(input[at])
                at += 1
                continue
            }
            bytes.append(try escape(at, before: range.upperBound))
            at += 3
        }
        guard bytes.withUnsafeBytes(isUTF8) else {
            throw Self.error("the decoded escapes are not valid UTF-8", .invalidUTF8, at: range.lowerBound)
        }
        return bytes
    }

    private func escape(_ at: Int, before end: Int) throws(CrosstieError) -> UInt8 {
        guard at + 2 < end, let byte = URLBytes.escape(input, at) else {
            throw Self.error("'%' is not followed by two hexadecimal digits", at: at)
        }
        guard !ASCII.isWord(byte), byte != 0x2E else {
            throw Self.error("a letter, digit, '-', '.' or '_' is written as it is, without an escape", at: at)
        }
        guard !ASCII.isControl(byte) else { throw Self.error("an escape stands for a control byte", at: at) }
        guard byte != 0x2F, byte != 0x5C else {
            throw Self.error(
                "a literal or suffix holds no slash and no backslash; only the type any takes them", at: at)
        }
        return byte
    }

    /// Characters that a literal and a suffix may contain only as escapes: those with a meaning in patterns, now or
    /// reserved for later.
    static func isReserved(_ byte: UInt8) -> Bool {
        if ASCII.isWord(byte) || byte >= 0x80 { return false }
        if byte <= 0x20 || byte == 0x7F { return true }
        switch byte {
        case 0x22...0x25, 0x28...0x2B, 0x3A, 0x3C, 0x3E, 0x3F, 0x5B...0x5E, 0x60, 0x7B...0x7D: return true
        default: return false
        }
    }

    private func refusal(of byte: UInt8) -> String {
        switch byte {
        case 0x20 where count > 0: "a literal and a suffix hold a space as %20 only"
        case ...0x20, 0x7F: "a pattern holds no space and no control byte"
        case 0x25: "a host holds no escapes"
        case 0x23, 0x3F: "a pattern has no query and no fragment"
        case 0x5C: "no literal and no suffix holds '\\'"
        default:
            count == 0
                ? "no suffix of a host holds '\(UnicodeScalar(byte))'"
                : "a literal and a suffix hold '\(UnicodeScalar(byte))' as an escape only"
        }
    }
}
