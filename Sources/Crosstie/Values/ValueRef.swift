import Synchronization

/// A value as it crosses the C interface: one word, a `ctie_value *` bit for bit, counted by hand.
///
/// The low three bits say what the rest is: the address of a ``Cell``, or a small value itself. Code that makes one
/// owns a reference, which ``release()`` or a *taking* function ends. Zero is no value; it is the C interface's NULL.
package struct ValueRef: BitwiseCopyable, Sendable {
    package let bits: UInt

    @inline(__always)
    package init(bits: UInt) { self.bits = bits }

    /// The pointer from C; nil for NULL.
    @inline(__always)
    package init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        bits = UInt(bitPattern: pointer)
    }

    /// The pointer for C.
    package var pointer: OpaquePointer? { OpaquePointer(bitPattern: bits) }

    /// The kinds, with the numbers of `CTIE_KIND_…`.
    package enum Kind: UInt8, Sendable {
        case null = 1
        case bool, int, double, string, bytes, list, map, foreign
    }

    /// The meaning of a word's low bits.
    enum Tag {
        static var mask: UInt { 7 }
        static var width: UInt { 3 }
        static var cell: UInt { 0 }
        static var int: UInt { 1 }
        static var constant: UInt { 2 }
        static var double: UInt { 3 }
        static var foreign: UInt { 4 }
    }

    var tag: UInt { bits & Tag.mask }

    var isCell: Bool { tag == Tag.cell }

    package var kind: Kind {
        switch tag {
        case Tag.cell: cell.pointee.kind
        case Tag.int: .int
        case Tag.double: .double
        case Tag.foreign: .foreign
        default: constantKind
        }
    }

    /// Adds a reference.
    package func retain() {
        if isCell {
            cell.pointee.references.wrappingAdd(1, ordering: .relaxed)
        } else if tag == Tag.foreign {
            retainForeignWord()
        }
    }

    /// The same value with one more reference.
    package func retained() -> ValueRef {
        retain()
        return self
    }

    /// Gives up a reference; the last one frees the value.
    @inline(__always)
    package func release() {
        if isCounted { releaseCounted() }
    }

    @inline(never)
    private func releaseCounted() {
        if isCell {
            if cell.pointee.isLastReference() { destroyCell() }
        } else {
            releaseForeignWord()
        }
    }

    /// Whether it is a cell or a foreign word: their tags alone end with two zeros.
    @inline(__always)
    private var isCounted: Bool { bits & 3 == 0 }

    /// Whether it is a list or map with other references: it may be shared.
    var isShared: Bool {
        isCell && (kind == .list || kind == .map) && cell.pointee.references.load(ordering: .relaxed) > 1
    }

    /// Lists and maps inside each other: 0 for everything else.
    var depth: UInt8 { isCell ? cell.pointee.depth : 0 }

    /// True when a foreign value is this or somewhere inside.
    package var holdsForeign: Bool { isCell ? cell.pointee.holdsForeign : tag == Tag.foreign }
}
