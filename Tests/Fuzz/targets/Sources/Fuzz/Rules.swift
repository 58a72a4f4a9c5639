@testable import Crosstie

/// The rules of matching, for one pattern and one URL at a time.
enum Rules {
    /// Patterns of one shape take the same URLs: they differ in the names of parameters alone.
    static func shape(_ pattern: Pattern) -> [[UInt8]] {
        [Array(pattern.text.prefix(pattern.schemeLength))]
            + pattern.segments.map { [$0.kind.rawValue, $0.type.rawValue] + Array(pattern.bytes($0.literal)) }
    }

    /// Compares like precedence: smaller is better.
    static func rank(_ pattern: Pattern) -> [Int] {
        guard !pattern.isFallback else { return [Int.max] }
        return pattern.segments.map { segment in
            switch segment.kind {
            case .literal: 0
            case .suffix: 10_000 - Int(segment.literal.length)
            case .typed: 10_000 + types.prefix { $0 != segment.type }.count
            case .parameter: 20_000
            case .skip: 20_001
            case .any: 20_002
            case .rest: 20_003
            }
        }
    }

    private static let types: [ParameterType] = [.uuid, .bool, .uint, .int, .float, .word]

    /// What the pattern captures from the URL; nil when it does not match.
    static func captures(_ pattern: Pattern, _ url: FuzzedURL) -> [[UInt8]]? {
        let parts = url.parts
        guard url.text(parts.scheme).elementsEqual(pattern.text.prefix(pattern.schemeLength)),
            !parts.flags.contains(.opaque), parts.port == 0 || parts.flags.contains(.web)
        else { return nil }
        let texts = (0...url.segmentCount).map { Array(url.text(url.ranges[$0])) }
        guard !pattern.isFallback else { return [] }
        var captures: [[UInt8]] = []
        for (index, segment) in pattern.segments.enumerated() {
            guard index < texts.count else { return nil }
            if segment.kind == .rest {
                let rest = texts[index...]
                return rest.contains(where: holdsSlash) ? nil : captures + [Array(rest.joined(separator: [0x2F]))]
            }
            guard let cut = cut(pattern, segment, texts[index]) else { return nil }
            guard segment.captures else { continue }
            let whole = index == 0 ? Array(url.text(parts.writtenHost)) : texts[index]
            let capture = Array(whole.dropLast(cut))
            captures.append(segment.type == .uuid ? capture.map(lower) : capture)
        }
        return texts.count == pattern.segments.count ? captures : nil
    }

    /// How many bytes of the text's end are not captured; nil when the segment does not match it.
    private static func cut(_ pattern: Pattern, _ segment: PatternSegment, _ text: [UInt8]) -> Int? {
        let literal = Array(pattern.bytes(segment.literal))
        if segment.kind == .literal { return text == literal ? 0 : nil }
        guard !text.isEmpty, segment.kind == .any || !holdsSlash(text) else { return nil }
        switch segment.kind {
        case .suffix:
            return text.count > literal.count && text.suffix(literal.count) == literal[...] ? literal.count : nil
        case .typed: return text.withUnsafeBytes(segment.type.accepts) ? 0 : nil
        default: return 0
        }
    }

    private static func holdsSlash(_ text: [UInt8]) -> Bool { text.contains { $0 == 0x2F || $0 == 0x5C } }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
