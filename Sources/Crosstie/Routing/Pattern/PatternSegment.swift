/// One segment of a pattern. The ranges are in the pattern's storage.
package struct PatternSegment: Sendable {
    /// In order of precedence.
    package enum Kind: UInt8, Sendable {
        case literal, suffix, typed, parameter, skip, any, rest
    }

    package let kind: Kind
    package let type: ParameterType
    /// The parameter's name; empty for literals and `~`.
    package let name: SegmentRange
    /// The text of a literal, or the suffix, decoded; of an address in brackets the normal form.
    package let literal: SegmentRange

    /// Whether a match gives a parameter for it.
    package var captures: Bool { kind != .literal && kind != .skip }
}
