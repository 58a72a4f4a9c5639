internal import CPlatform

/// One of a node's alternatives, in a list that is sorted by precedence. Item 0 is no item.
struct RouteItem {
    let rank: Rank
    /// Where a suffix starts in the text pool.
    let text: UInt32
    /// Tells the item's ``PathHash`` from those of its siblings.
    let salt: UInt32
    /// A ``NodeReference``.
    var reference: UInt32
    /// Links the item into its list; stored last.
    var next: UInt32

    /// Sorts as precedence does: longer suffixes first, then typed parameters by type, then `~`, then `any`.
    struct Rank: Equatable {
        let word: UInt32

        static var skip: Rank { Rank(word: 0x2_0000) }
        static var any: Rank { Rank(word: 0x2_0001) }
        private static var noSuffix: UInt32 { 0x1_0000 }

        init(word: UInt32) { self.word = word }

        init(_ segment: PatternSegment) {
            switch segment.kind {
            case .suffix: word = Self.noSuffix - UInt32(segment.literal.length)
            case .typed: word = Self.noSuffix + UInt32(segment.type.rawValue)
            case .skip: self = .skip
            default: self = .any
            }
        }

        @inline(__always) var isSuffix: Bool { word < Self.noSuffix }
        @inline(__always) var suffixLength: Int { Int(Self.noSuffix &- word) }
        @inline(__always) var type: ParameterType? { ParameterType(rawValue: UInt8(truncatingIfNeeded: word)) }
    }
}
