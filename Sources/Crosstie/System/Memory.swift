internal import CPlatform

/// Memory of the library's own records: an allocation may fail, and the caller reports `outOfMemory`.
///
/// Swift's own allocations (objects, arrays, strings) cannot fail softly. In the shipped library they come from a
/// reserve when there is no other memory (`Sources/CPlatform/reserve.c`).
package enum Memory {
    /// So many bytes, aligned to 16; nil when there is no memory.
    @inline(__always)
    package static func allocate(_ size: Int) -> UnsafeMutableRawPointer? { cp_allocate(size) }

    /// The same, all zero.
    package static func allocateZeroed(_ size: Int) -> UnsafeMutableRawPointer? { cp_allocate_zeroed(size) }

    /// The same at a multiple of a power of two.
    static func allocate(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer? {
        cp_allocate_aligned(alignment, size)
    }

    /// Room for values, which the caller initializes; nil when there is no memory.
    @inline(__always)
    static func allocate<Element: ~Copyable>(
        _ count: Int, of type: Element.Type
    ) -> UnsafeMutablePointer<Element>? {
        let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard !overflow, size >= 0 else { return nil }
        return cp_allocate(size)?.bindMemory(to: Element.self, capacity: count)
    }

    /// Resizes memory that was allocated here. Nil, with the memory unchanged, if there is none.
    static func reallocate(_ memory: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        cp_reallocate(memory, size)
    }

    /// Frees memory that was allocated here.
    @inline(__always)
    package static func free(_ memory: UnsafeMutableRawPointer?) { cp_free(memory) }

    /// Whether the reserve is in use to a degree at which nothing is begun that may need more of it.
    @inline(__always)
    package static var isScarce: Bool { cp_reserve_is_low() }
}
