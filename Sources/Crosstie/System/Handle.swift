/// A checked reference to a record: `generation << 32 | kind << 28 | index << 8 | 8`.
///
/// The generation is odd while the record is live, so that no leftover of memory passes for a handle
/// of an unused record; the low bits keep handles apart from aligned pointers.
package struct Handle: Equatable {
    package let bits: UInt

    @inline(__always)
    package init(bits: UInt) { self.bits = bits }

    @inline(__always)
    package init(_ kind: HandleKind, index: UInt32, generation: UInt32) {
        bits = UInt(generation) << 32 | kind.rawValue << 28 | UInt(index & Handle.indexMask) << 8 | 8
    }

    /// Records of one kind that may exist at a time: a million.
    package static var indexMask: UInt32 { 0xF_FFFF }

    @inline(__always)
    package var index: UInt32 { UInt32(truncatingIfNeeded: bits >> 8) & Handle.indexMask }

    @inline(__always)
    package var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }

    /// As C sees it.
    @inline(__always)
    package var pointer: OpaquePointer? { OpaquePointer(bitPattern: bits) }

    /// Whether the fixed bits are those of a handle of this kind.
    @inline(__always)
    package func isKind(_ kind: HandleKind) -> Bool {
        bits & 0xF000_00FF == kind.rawValue << 28 | 8
    }
}
