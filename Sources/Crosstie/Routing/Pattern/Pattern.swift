/// A route's pattern, checked. Of two patterns that take the same URLs and differ in parameter names alone,
/// a table holds only one.
package struct Pattern: Sendable {
    /// The pattern with its scheme, scheme and literal host in lower case.
    package let text: [UInt8]
    /// The text, and behind it the literals that it has in another form.
    let storage: [UInt8]
    package let schemeLength: Int
    /// The host, then the path's segments. Empty for `scheme://`, which takes what nothing else matches.
    package let segments: [PatternSegment]

    package var isFallback: Bool { segments.isEmpty }

    package var isWeb: Bool { text.withUnsafeBytes { WebScheme.isWeb(.init(rebasing: $0[..<schemeLength])) } }

    /// Whether both have the same scheme and the same host: one literal in its normal form, or the same parameter.
    func sharesHost(with other: Pattern) -> Bool {
        text.prefix(schemeLength) == other.text.prefix(other.schemeLength) && host == other.host
    }

    private var host: ArraySlice<UInt8> {
        if let host = segments.first, host.kind == .literal { return bytes(host.literal) }
        return text.dropFirst(schemeLength + 3).prefix { $0 != 0x2F }
    }

    package var description: String { String(decoding: text, as: UTF8.self) }

    /// Parameter names in path order: capture k of a match has name k.
    package var parameterNames: [String] {
        segments.filter(\.captures).map { string($0.name) }
    }

    func string(_ range: SegmentRange) -> String { String(decoding: bytes(range), as: UTF8.self) }

    package func bytes(_ range: SegmentRange) -> ArraySlice<UInt8> { storage[Int(range.offset)..<range.end] }
}
