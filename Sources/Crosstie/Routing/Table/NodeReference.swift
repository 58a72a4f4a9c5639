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
