/// Reads a pattern and says of a bad one what is wrong, and where.
struct PatternParser {
    private let input: UnsafeRawBufferPointer
    /// What stands in the pattern's text before the input: a default scheme, or nothing.
    private let prefix: [UInt8]
    private var segments: [PatternSegment] = []
    private var web = false

    private init(input: UnsafeRawBufferPointer, prefix: [UInt8]) {
        self.input = input
        self.prefix = prefix
    }
}

extension Pattern {
    /// Checks a pattern.
    ///
    /// - Parameters:
    ///   - input: its text, in any bytes.
    ///   - defaultScheme: what a pattern that starts with a slash gets; `nil` where there is none.
    package init(
        _ input: UnsafeRawBufferPointer, defaultScheme: UnsafeRawBufferPointer? = nil
    ) throws(CrosstieError) {
        self = try PatternParser.parse(input, defaultScheme: defaultScheme)
    }
}

extension PatternParser {
    static func parse(
        _ input: UnsafeRawBufferPointer, defaultScheme: UnsafeRawBufferPointer?
    ) throws(CrosstieError) -> Pattern {
        var prefix: [UInt8] = []
        if input.first == 0x2F {
            guard let defaultScheme else {
                throw error("the pattern has no scheme, and there is no default one", at: 0)
            }
            prefix = Array(defaultScheme) + [0x3A, 0x2F, 0x2F]
        }
        guard input.count + prefix.count <= URLLimits.url else {
            throw CrosstieError(.limit, "the pattern is longer than \(URLLimits.url) bytes")
        }
        guard UTF8Validator.accepts(input) else { throw CrosstieError(.utf8, "the pattern is not valid UTF-8") }
        var parser = PatternParser(input: input, prefix: prefix)
        return try parser.run()
    }

    private mutating func run() throws(CrosstieError) -> Pattern {
        var text = prefix
        text.reserveCapacity(prefix.count + input.count)
        text.append(contentsOf: input)
        let schemeLength = try scheme(&text)
        let start = prefix.isEmpty ? schemeLength + 3 : 0
        if start < input.count { try split(from: start) }
        if let host = segments.first, host.kind == .literal || host.kind == .suffix {
            for at in Int(host.literal.offset)..<host.literal.end { text[at] = ASCII.lower(text[at]) }
        }
        return Pattern(text: text, schemeLength: schemeLength, segments: segments)
    }

    /// Checks the scheme at the text's start and puts it into lower case. Returns its length.
    private mutating func scheme(_ text: inout [UInt8]) throws(CrosstieError) -> Int {
        let end = text.firstIndex { !ASCII.isScheme($0) } ?? text.count
        guard end > 0, ASCII.isLetter(text[0]), text[end...].starts(with: [0x3A, 0x2F, 0x2F]) else {
            throw Self.error("a pattern starts with a scheme and '://', or with '/'", at: 0)
        }
        guard end <= URLLimits.scheme else {
            throw Self.error("the scheme is longer than \(URLLimits.scheme) bytes", at: URLLimits.scheme)
        }
        for at in 0..<end { text[at] = ASCII.lower(text[at]) }
        web = text.withUnsafeBytes { WebScheme.isWeb(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        return end
    }

    private mutating func split(from first: Int) throws(CrosstieError) {
        // One trailing slash is ignored, as it is in URLs.
        let end = input[input.count - 1] == 0x2F ? input.count - 1 : input.count
        segments.reserveCapacity(8)
        var start = first
        while true {
            let stop = input[start..<end].firstIndex(of: 0x2F) ?? end
            guard segments.count <= URLLimits.segments else {
                throw CrosstieError(
                    .limit, "the pattern has more than \(URLLimits.segments) segments", at: "byte \(start)")
            }
            let segment = try segment(start..<stop, last: stop == end)
            try check(segment, at: start)
            segments.append(segment)
            guard stop < end else { return }
            start = stop + 1
        }
    }

    private func segment(_ range: Range<Int>, last: Bool) throws(CrosstieError) -> PatternSegment {
        guard let first = range.first.map({ input[$0] }) else { return try literal(range) }
        switch first {
        case 0x3A: return try parameter(range)
        case 0x2A: return try rest(range, last: last)
        case 0x7E where range.count == 1: return make(.skip)
        default: return try literal(range)
        }
    }

    private func literal(_ range: Range<Int>) throws(CrosstieError) -> PatternSegment {
        if segments.isEmpty {
            if let problem = HostName.problem(in: UnsafeRawBufferPointer(rebasing: input[range]), web: web) {
                let words = ParseFailure(problem.reason, at: 0).error.message
                throw Self.error(words, at: range.lowerBound + problem.position)
            }
        } else {
            try checkLiteral(range)
            guard !range.isEmpty else { throw Self.error("a segment is empty", at: range.lowerBound) }
            let dots = range.count <= 2 && range.allSatisfy { input[$0] == 0x2E }
            guard !dots else { throw Self.error("a segment is '.' or '..'", at: range.lowerBound) }
        }
        return make(.literal, literal: range)
    }

    private func checkLiteral(_ range: Range<Int>) throws(CrosstieError) {
        for at in range where Self.isReserved(input[at]) {
            throw Self.error("a literal holds a byte that patterns reserve or URLs never have", at: at)
        }
    }

    private static func isReserved(_ byte: UInt8) -> Bool {
        if byte < 0x80, ASCII.isWord(byte) { return false }
        if byte <= 0x20 || byte == 0x7F { return true }
        switch byte {
        case 0x22...0x25, 0x28...0x2B, 0x3A, 0x3C, 0x3E, 0x3F, 0x5B...0x5E, 0x60, 0x7B...0x7D: return true
        default: return false
        }
    }

    /// `:id`, `:id.html`, `:id<type>`.
    private func parameter(_ range: Range<Int>) throws(CrosstieError) -> PatternSegment {
        let name = try name(range)
        guard name.upperBound < range.upperBound else { return make(.parameter, name: name) }
        let suffix = name.upperBound..<range.upperBound
        guard input[suffix.lowerBound] == 0x3C else { return try suffixed(name, suffix) }
        let close = input[suffix].firstIndex(of: 0x3E) ?? suffix.upperBound
        guard close == suffix.upperBound - 1 else {
            throw Self.error("a type ends with '>', and the segment with it", at: close)
        }
        let text = UnsafeRawBufferPointer(rebasing: input[(suffix.lowerBound + 1)..<close])
        guard let type = ParameterType(name: text) else {
            throw Self.error("there is no such parameter type", at: suffix.lowerBound + 1)
        }
        switch type {
        case .string: return make(.parameter, name: name)
        case .any: return make(.any, type: .any, name: name)
        default: return make(.typed, type: type, name: name)
        }
    }

    private func suffixed(_ name: Range<Int>, _ suffix: Range<Int>) throws(CrosstieError) -> PatternSegment {
        try checkLiteral(suffix)
        if segments.isEmpty {
            // With any letter before it, the suffix has to make a host.
            let host: [UInt8] = [0x61] + input[suffix]
            let problem = host.withUnsafeBytes { HostName.problem(in: $0, web: web) }
            guard problem == nil else { throw Self.error("no host ends in this suffix", at: suffix.lowerBound) }
        }
        return make(.suffix, name: name, literal: suffix)
    }

    private func rest(_ range: Range<Int>, last: Bool) throws(CrosstieError) -> PatternSegment {
        let name = try name(range)
        guard name.upperBound == range.upperBound else {
            throw Self.error("nothing may follow the name of a rest", at: name.upperBound)
        }
        guard last else { throw Self.error("a rest stands anywhere but at the end", at: range.lowerBound) }
        return make(.rest, name: name)
    }

    /// The name behind the segment's first byte.
    private func name(_ range: Range<Int>) throws(CrosstieError) -> Range<Int> {
        let start = range.lowerBound + 1
        let end = input[start..<range.upperBound].firstIndex { !ASCII.isName($0) } ?? range.upperBound
        guard end > start, !ASCII.isDigit(input[start]) else {
            throw Self.error("a parameter's name starts with a letter or '_'", at: start)
        }
        guard end - start <= 64 else { throw Self.error("a parameter's name is longer than 64 bytes", at: start) }
        return start..<end
    }

    /// What holds between a segment and those before it.
    private func check(_ segment: PatternSegment, at start: Int) throws(CrosstieError) {
        guard segment.captures else { return }
        guard !segments.isEmpty || (segment.kind != .any && segment.kind != .rest) else {
            throw Self.error("the host cannot be a rest or of type any", at: start)
        }
        let name = input[local(segment.name)]
        for other in segments where other.captures && input[local(other.name)].elementsEqual(name) {
            throw Self.error("two parameters have the same name", at: start)
        }
        // A host and 64 segments would be one more than a match has room for.
        guard segments.count < URLLimits.captures || segments.contains(where: { !$0.captures }) else {
            throw CrosstieError(
                .limit, "the pattern has more than \(URLLimits.captures) parameters", at: "byte \(start)")
        }
    }

    private func local(_ range: SegmentRange) -> Range<Int> {
        (Int(range.offset) - prefix.count)..<(range.end - prefix.count)
    }

    private func make(
        _ kind: PatternSegment.Kind, type: ParameterType = .string, name: Range<Int> = 0..<0,
        literal: Range<Int> = 0..<0
    ) -> PatternSegment {
        let shift = prefix.count
        return PatternSegment(
            kind: kind, type: type,
            name: SegmentRange(from: name.lowerBound + shift, to: name.upperBound + shift),
            literal: SegmentRange(from: literal.lowerBound + shift, to: literal.upperBound + shift))
    }

    private static func error(_ message: String, at position: Int) -> CrosstieError {
        CrosstieError(.pattern, message, at: "byte \(position)")
    }
}
