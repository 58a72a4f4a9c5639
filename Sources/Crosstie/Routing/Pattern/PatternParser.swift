internal import Glibc

/// Reads a pattern; for a bad one it reports the error and its location.
struct PatternParser {
    let input: UnsafeRawBufferPointer
    /// The number of bytes in the pattern's text before the input: a default scheme, or none.
    let shift: Int
    let isWeb: Bool
    /// Room for one more segment than a pattern may have.
    let segments: UnsafeMutableBufferPointer<PatternSegment>
    private(set) var count = 0
    /// Literals that the text has in another form. They follow it.
    var decoded: [UInt8] = []

    /// A host and as many segments as a path may have.
    static var room: Int { URLLimits.segments + 1 }
}

extension Pattern {
    /// Checks a pattern.
    ///
    /// - Parameters:
    ///   - input: its text, in any bytes.
    ///   - defaultScheme: the scheme of a pattern that starts with a slash; `nil` if there is none.
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
        var text = try text(of: input, under: defaultScheme)
        let shift = text.count - input.count
        let schemeLength = try text.withUnsafeMutableBufferPointer { text throws(CrosstieError) in
            try foldScheme(text)
        }
        let isWeb = text.withUnsafeBytes { WebScheme.isWeb(UnsafeRawBufferPointer(rebasing: $0[..<schemeLength])) }
        let start = shift > 0 ? 0 : schemeLength + 3
        let (segments, decoded) = try withUnsafeTemporaryAllocation(of: PatternSegment.self, capacity: room) {
            segments throws(CrosstieError) in
            var parser = PatternParser(input: input, shift: shift, isWeb: isWeb, segments: segments)
            if start < input.count { try parser.split(from: start) }
            return (Array(segments[..<parser.count]), parser.decoded)
        }
        if let host = segments.first, host.literal.end <= text.count {
            text.withUnsafeMutableBufferPointer { fold($0, host.literal) }
        }
        // The same array if nothing follows.
        let storage = decoded.isEmpty ? text : text + decoded
        return Pattern(text: text, storage: storage, schemeLength: schemeLength, segments: segments)
    }

    /// The pattern with its scheme before it, if its size and its bytes are a text's.
    private static func text(
        of input: UnsafeRawBufferPointer, under defaultScheme: UnsafeRawBufferPointer?
    ) throws(CrosstieError) -> [UInt8] {
        var prefix: [UInt8] = []
        if input.first == 0x2F {
            guard let defaultScheme else {
                throw error("the pattern has no scheme, and there is no default one", at: 0)
            }
            prefix = Array(defaultScheme) + [0x3A, 0x2F, 0x2F]
        }
        guard prefix.count + input.count <= URLLimits.url else {
            throw error(
                "the pattern is longer than \(URLLimits.url) bytes", .limitExceeded, at: URLLimits.url - prefix.count)
        }
        guard isUTF8(input) else {
            throw error("the pattern is not valid UTF-8", .invalidUTF8, at: UTF8Validator.firstInvalid(in: input))
        }
        return prefix.isEmpty ? Array(input) : prefix + input
    }

    /// Checks the scheme at the text's start and puts it into lower case. Returns its length.
    private static func foldScheme(_ text: UnsafeMutableBufferPointer<UInt8>) throws(CrosstieError) -> Int {
        var end = 0
        while end < text.count, ASCII.isScheme(text[end]) { end += 1 }
        guard end > 0, ASCII.isLetter(text[0]), end + 2 < text.count,
            text[end] == 0x3A, text[end + 1] == 0x2F, text[end + 2] == 0x2F
        else { throw error("a pattern starts with a scheme and '://', or with '/'", at: 0) }
        guard end <= URLLimits.scheme else {
            throw error("the scheme is longer than \(URLLimits.scheme) bytes", at: URLLimits.scheme)
        }
        fold(text, SegmentRange(from: 0, to: end))
        return end
    }

    private static func fold(_ text: UnsafeMutableBufferPointer<UInt8>, _ range: SegmentRange) {
        for at in Int(range.offset)..<range.end { text[at] = ASCII.lower(text[at]) }
    }

    private mutating func split(from first: Int) throws(CrosstieError) {
        // One trailing slash is ignored, as it is in URLs.
        let end = input[input.count - 1] == 0x2F ? input.count - 1 : input.count
        var start = first
        while true {
            let stop = slash(from: start, before: end)
            guard count < Self.room else {
                throw Self.error("the pattern has more than \(URLLimits.segments) segments", .limitExceeded, at: start)
            }
            let segment = try segment(start..<stop, isLast: stop == end)
            if segment.captures { try check(segment, at: start) }
            segments.initializeElement(at: count, to: segment)
            count += 1
            guard stop < end else { return }
            start = stop + 1
        }
    }

    private func slash(from start: Int, before end: Int) -> Int {
        guard start < end, let base = input.baseAddress, let found = memchr(base + start, 0x2F, end - start)
        else { return end }
        return UnsafeRawPointer(found) - base
    }

    private mutating func segment(_ range: Range<Int>, isLast: Bool) throws(CrosstieError) -> PatternSegment {
        guard !range.isEmpty else { return try literal(range) }
        switch input[range.lowerBound] {
        case 0x3A: return try parameter(range)
        case 0x2A: return try rest(range, isLast: isLast)
        case 0x7E where range.count == 1: return make(.skip)
        default: return try literal(range)
        }
    }

    /// The constraints between a parameter and the segments before it.
    private func check(_ segment: PatternSegment, at start: Int) throws(CrosstieError) {
        if count == 0 {
            guard segment.kind != .any && segment.kind != .rest else {
                throw Self.error("the host cannot be a rest or of type any", at: start)
            }
            return
        }
        var captures = 0
        for other in segments[..<count] where other.captures {
            guard !hasSameName(segment, other) else {
                throw Self.error("two parameters have the same name", at: start)
            }
            captures += 1
        }
        // A host and 64 segments would be one more than a match has room for.
        guard captures < URLLimits.captures else {
            throw Self.error("the pattern has more than \(URLLimits.captures) parameters", .limitExceeded, at: start)
        }
    }

    private func hasSameName(_ one: PatternSegment, _ other: PatternSegment) -> Bool {
        guard one.name.length == other.name.length, let base = input.baseAddress else { return false }
        return memcmp(
            base + (Int(one.name.offset) - shift), base + (Int(other.name.offset) - shift), Int(one.name.length)) == 0
    }

    func make(
        _ kind: PatternSegment.Kind, type: ParameterType = .string, name: Range<Int> = 0..<0,
        literal: SegmentRange = SegmentRange()
    ) -> PatternSegment {
        PatternSegment(kind: kind, type: type, name: segmentRange(of: name), literal: literal)
    }

    /// A range of the input as one of the pattern's text.
    func segmentRange(of range: Range<Int>) -> SegmentRange {
        SegmentRange(from: range.lowerBound + shift, to: range.upperBound + shift)
    }

    /// Puts a literal behind the text.
    mutating func store(_ literal: some Sequence<UInt8>) -> SegmentRange {
        let start = shift + input.count + decoded.count
        decoded += literal
        return SegmentRange(from: start, to: shift + input.count + decoded.count)
    }

    /// `position` counts in the pattern as it was given.
    static func error(_ message: String, _ status: Status = .invalidPattern, at position: Int) -> CrosstieError {
        CrosstieError(status, message, at: "byte \(position)")
    }
}
