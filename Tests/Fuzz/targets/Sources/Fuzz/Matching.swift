@testable import Crosstie

/// The rules of matching, for one pattern and one URL at a time.
enum Matching {
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

    /// The host and the segments that a pattern takes, from the first on, and what it captures.
    struct Part {
        /// None for a pattern that takes what nothing else does.
        var count = 0
        var captures: [[UInt8]] = []
    }

    /// The captures of the pattern from the whole URL; nil if it does not match.
    static func captures(_ pattern: Pattern, _ url: FuzzedURL) -> [[UInt8]]? {
        part(pattern, url).flatMap { $0.count == 0 || $0.count == url.segmentCount + 1 ? $0.captures : nil }
    }

    /// The longest leading part of the URL that the pattern matches.
    static func part(_ pattern: Pattern, _ url: FuzzedURL) -> Part? {
        let parts = url.parts
        guard url.text(parts.scheme).elementsEqual(pattern.text.prefix(pattern.schemeLength)),
            !parts.flags.contains(.opaque), parts.port == 0
        else { return nil }
        let texts = url.texts
        var part = Part()
        for (index, segment) in pattern.segments.enumerated() {
            guard index < texts.count else { return nil }
            if segment.kind == .rest {
                let rest = texts[index...].prefix { !holdsSlash($0) }
                part.captures.append(Array(rest.joined(separator: [0x2F])))
                part.count += rest.count
                return rest.first?.isEmpty == false ? part : nil
            }
            // A host is compared in lower case and captured as it was written, but for a boolean.
            let isWritten = index == 0 && segment.type != .bool
            let whole = isWritten ? Array(url.text(parts.writtenHost)) : texts[index]
            guard let cut = cut(pattern, segment, texts[index]) else { return nil }
            part.count += 1
            guard segment.captures else { continue }
            let capture = Array(whole.dropLast(cut))
            part.captures.append(segment.type == .uuid ? capture.map(lower) : capture)
        }
        return part
    }

    /// The bytes of the text's end that are not captured; nil when the segment does not match it.
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
