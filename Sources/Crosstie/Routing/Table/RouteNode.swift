internal import CPlatform

/// The target of a step through the tree, in one word that readers load and the writer stores.
///
/// A *leaf* is a route that nothing follows: its number is the route's value, and it needs no node. Otherwise
/// the number is a node's, and the other bits say which kinds of children that node may have, so that a chain
/// of literals never loads one. Zero is no reference; a leaf of value zero is where a route used to be.
struct NodeReference: Equatable {
    let word: UInt32

    static var leafBit: UInt32 { 1 << 31 }
    static var literalBit: UInt32 { 1 << 30 }
    static var parameterBit: UInt32 { 1 << 29 }
    /// Suffix or typed parameters, which are tried before the plain one.
    static var beforeBit: UInt32 { 1 << 28 }
    /// `~`, `any` or a rest, which are tried after it.
    static var afterBit: UInt32 { 1 << 27 }
    static var numbers: UInt32 { afterBit - 1 }

    @inline(__always) init(word: UInt32) { self.word = word }
    @inline(__always) init(leaf value: UInt32) { word = value | Self.leafBit }

    @inline(__always) var number: UInt32 { word & Self.numbers }
    @inline(__always) var isLeaf: Bool { word & Self.leafBit != 0 }
    @inline(__always) var hasLiteral: Bool { word & Self.literalBit != 0 }
    @inline(__always) var hasParameter: Bool { word & Self.parameterBit != 0 }
    @inline(__always) var hasBefore: Bool { word & Self.beforeBit != 0 }
    @inline(__always) var hasAfter: Bool { word & Self.afterBit != 0 }
    @inline(__always)
    var hasAlternatives: Bool { word & (Self.parameterBit | Self.beforeBit | Self.afterBit) != 0 }
}

/// A literal step of the tree: from a node by a segment to a reference. The reference is stored last.
///
/// Two entries fill a cache line and are looked at together.
struct RouteEntry {
    var low: UInt64
    var high: UInt64
    var node: UInt32
    /// The segment's length and whether it is long.
    var size: UInt32
    /// A ``NodeReference``; zero in a free slot.
    var reference: UInt32
    /// The hash's lower half, which tells the two entries of a line apart.
    var print: UInt32
}

/// A place where routes part or end. Its literal children are in the hash table.
struct RouteNode {
    /// The route that ends here; of a scheme's node, the one that takes what nothing else matches.
    var value: UInt32
    var parameter: UInt32
    /// The route of a `*rest`; of a scheme's node, where there is none, how many routes the scheme has.
    var rest: UInt32
    /// The first ``RouteItem`` of the suffix and typed parameters, which are tried before the parameter.
    var before: UInt32
    /// The same for `~` and `any`, tried after it.
    var after: UInt32
    /// Of the steps that lead here.
    let hash: PathHash
}

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

/// The words that readers and the writer share, as the atomic operations want them.
typealias RouteWord = UnsafeMutablePointer<UInt32>

extension UnsafeMutablePointer {
    @inline(__always)
    fileprivate func word(at offset: Int) -> RouteWord {
        (UnsafeMutableRawPointer(self) + offset).assumingMemoryBound(to: UInt32.self)
    }
}

extension UnsafeMutablePointer<RouteEntry> {
    @inline(__always) var referenceWord: RouteWord { word(at: 24) }
    @inline(__always) var printWord: RouteWord { word(at: 28) }
}

extension UnsafeMutablePointer<RouteNode> {
    @inline(__always) var valueWord: RouteWord { word(at: 0) }
    @inline(__always) var parameterWord: RouteWord { word(at: 4) }
    @inline(__always) var restWord: RouteWord { word(at: 8) }
    @inline(__always) var beforeWord: RouteWord { word(at: 12) }
    @inline(__always) var afterWord: RouteWord { word(at: 16) }
}

extension UnsafeMutablePointer<RouteItem> {
    @inline(__always) var referenceWord: RouteWord { word(at: 12) }
    @inline(__always) var nextWord: RouteWord { word(at: 16) }
}
