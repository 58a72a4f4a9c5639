/// The forms of one segment.
extension PatternParser {
    mutating func literal(_ range: Range<Int>) throws(CrosstieError) -> PatternSegment {
        guard count > 0 else { return make(.literal, literal: try host(range)) }
        guard !range.isEmpty else { throw Self.error("a segment is empty", at: range.lowerBound) }
        let text = try text(range)
        let isDots = range.count <= 2 && range.allSatisfy { input[$0] == 0x2E }
        guard !isDots else { throw Self.error("a segment is '.' or '..'", at: range.lowerBound) }
        return make(.literal, literal: text)
    }

    /// `:id`, `:id.html`, `:id<type>`.
    mutating func parameter(_ range: Range<Int>) throws(CrosstieError) -> PatternSegment {
        let name = try name(range)
        guard name.upperBound < range.upperBound else { return make(.parameter, name: name) }
        let behind = name.upperBound..<range.upperBound
        return input[behind.lowerBound] == 0x3C ? try typed(name, behind) : try suffixed(name, behind)
    }

    /// The range begins with `<`.
    private func typed(_ name: Range<Int>, _ range: Range<Int>) throws(CrosstieError) -> PatternSegment {
        let close = input[range].firstIndex(of: 0x3E) ?? range.upperBound
        guard close == range.upperBound - 1 else {
            throw Self.error("a type ends with '>', and the segment with it", at: close)
        }
        let text = UnsafeRawBufferPointer(rebasing: input[(range.lowerBound + 1)..<close])
        guard let type = ParameterType(name: text) else {
            throw Self.error(
                "there is no such type; there are uuid, bool, uint, int, float, word, string and any",
                at: range.lowerBound + 1)
        }
        switch type {
        case .string: return make(.parameter, name: name)
        case .any: return make(.any, type: .any, name: name)
        default: return make(.typed, type: type, name: name)
        }
    }

    private mutating func suffixed(
        _ name: Range<Int>, _ suffix: Range<Int>
    ) throws(CrosstieError) -> PatternSegment {
        guard count == 0 else { return make(.suffix, name: name, literal: try text(suffix)) }
        try checkBytes(suffix)
        // With any letter before it, the suffix has to make a host.
        let host: [UInt8] = [0x61] + input[suffix]
        let problem = host.withUnsafeBytes { HostName.problem(in: $0, web: isWeb) }
        guard problem == nil else { throw Self.error("no host ends in this suffix", at: suffix.lowerBound) }
        return make(.suffix, name: name, literal: segmentRange(of: suffix))
    }

    func rest(_ range: Range<Int>, isLast: Bool) throws(CrosstieError) -> PatternSegment {
        let name = try name(range)
        guard name.upperBound == range.upperBound else {
            throw Self.error("nothing may follow the name of a rest", at: name.upperBound)
        }
        guard isLast else { throw Self.error("only the last segment can be a rest", at: range.lowerBound) }
        return make(.rest, name: name)
    }

    /// The name behind the segment's first byte.
    private func name(_ range: Range<Int>) throws(CrosstieError) -> Range<Int> {
        let start = range.lowerBound + 1
        var end = start
        while end < range.upperBound, ASCII.isName(input[end]) { end += 1 }
        guard end > start, !ASCII.isDigit(input[start]) else {
            throw Self.error("a parameter's name starts with a letter or '_'", at: start)
        }
        guard end - start <= URLLimits.name else {
            throw Self.error("a parameter's name is longer than \(URLLimits.name) bytes", at: start)
        }
        return start..<end
    }
}
