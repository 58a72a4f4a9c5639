/// A malformed URL of a scheme that the bus does not know: it is handed on byte for byte, and its meaning is left to
/// the receiver.
///
/// It is checked for harmful content: the rules for every byte of a URL (``URLBytes``), the scheme, an authority that
/// parsers read differently, and escaped control bytes in the path. Characters that end a quotation in shells and
/// markup are refused, too; the normal form of other URLs has them escaped. The text in the path need not be UTF-8. There
/// may be `.` and `..`, any number of segments and pairs, a second `#`, and labels of the host may begin and end with `-`.
extension URLNormalizer {
    /// Keeps the URL in the area's first bytes, with the ranges of its parts; behind it are scheme and host in their
    /// normal form, for comparisons. There are no segments and no pairs.
    mutating func runForeign() throws(ParseFailure) {
        if let bad = input.firstIndex(where: Self.endsQuotation) { throw ParseFailure(.forbiddenByte, at: bad) }
        put(input, 0..<input.count)
        parts.pointee.normalLength = UInt16(truncatingIfNeeded: input.count)
        parts.pointee.flags = .foreign
        try scheme()
        if starts(with: 0x2F), at + 1 < input.count, input[at + 1] == 0x2F {
            at += 2
            try authority()
        } else {
            try noAuthority()
        }
        if hasEscapes { try checkDecoded(upTo: pathEnd, controls: false) }
        parts.pointee.path = SegmentRange(from: at, to: pathEnd)
        if pathEnd < queryEnd {
            parts.pointee.query = SegmentRange(from: pathEnd + 1, to: queryEnd)
            parts.pointee.flags.insert(.query)
        }
        if queryEnd < input.count {
            parts.pointee.fragment = SegmentRange(from: queryEnd + 1, to: input.count)
            parts.pointee.flags.insert(.fragment)
        }
        // No route takes it apart, and there are pairs, none, that have been decoded.
        parts.pointee.flags.formUnion([.opaque, .decodedQuery])
        parts.pointee.used = UInt32(truncatingIfNeeded: written)
        (out + written).update(repeating: 0, count: URLLimits.slack)
    }

    /// Bytes that close what somebody else has put between quotation marks.
    private static func endsQuotation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x3C, 0x3E, 0x60: true
        default: false
        }
    }
}

extension ParseFailure.Reason {
    /// Whether a URL that has nothing worse may be taken as it is, where it is somebody else's.
    var isOthersBusiness: Bool {
        switch self {
        case .label, .dotSegment, .decodedUTF8, .tooManySegments, .tooManyPairs, .fragment, .normalFormTooLong: true
        default: false
        }
    }
}
