internal import CCrosstie
import Synchronization

/// The head of a counted block of memory that holds a value too big for a word. The content follows.
///
/// Content by kind: an `Int64`; a `Double`; text or bytes and a NUL; a ``ForeignCell``; and for lists and
/// maps the total of values inside (an `Int`), then the items or entries.
package struct Cell: ~Copyable {
    let references = Atomic<UInt>(1)
    /// Bytes of text, items of a list, entries of a map.
    let count: UInt32
    let kind: ValueRef.Kind
    /// Lists and maps inside each other, this one included.
    let depth: UInt8
    let holdsForeign: Bool

    /// Gives up a reference. A lone one needs no atomic write: no other code is left that could add another.
    func isLastReference() -> Bool {
        references.load(ordering: .acquiring) == 1
            || references.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue == 1
    }

    /// Where the content begins; the allocator keeps it aligned to 16.
    static var contentOffset: Int { 16 }
    /// Where the items or entries begin, after the total.
    static var itemsOffset: Int { 24 }
}

extension ValueRef {
    /// Makes a cell with `size` bytes of content, not yet filled.
    static func allocate(
        _ kind: Kind, size: Int, count: Int = 0, depth: UInt8 = 0, holdsForeign: Bool = false
    ) throws(CrosstieError) -> ValueRef {
        guard let start = Memory.allocate(Cell.contentOffset &+ size) else { throw .outOfMemory }
        return adopt(start, as: kind, count: count, depth: depth, holdsForeign: holdsForeign)
    }

    /// Makes a cell of allocated memory, which begins with room for the head.
    static func adopt(
        _ start: UnsafeMutableRawPointer, as kind: Kind, count: Int, depth: UInt8 = 0, holdsForeign: Bool = false
    ) -> ValueRef {
        let head = Cell(
            count: UInt32(truncatingIfNeeded: count), kind: kind, depth: depth, holdsForeign: holdsForeign)
        start.assumingMemoryBound(to: Cell.self).initialize(to: head)
        return ValueRef(bits: UInt(bitPattern: start))
    }

    /// The cell's first byte. Only for values that are cells.
    var start: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: bits).unsafelyUnwrapped }

    var cell: UnsafeMutablePointer<Cell> { start.assumingMemoryBound(to: Cell.self) }

    var content: UnsafeMutableRawPointer { start + Cell.contentOffset }

    var cellCount: Int { Int(cell.pointee.count) }

    /// Destroys a cell after its last reference was released. Nesting is bounded where values are made, so this is too.
    func destroyCell() {
        switch cell.pointee.kind {
        case .list: for item in items { item.release() }
        case .map: for entry in entries { entry.value.release() }
        case .foreign: foreignCell.hooks.release(foreignCell.object)
        default: break
        }
        Memory.free(start)
    }
}

extension CrosstieError {
    package static var outOfMemory: CrosstieError { CrosstieError(.outOfMemory, "out of memory") }

    static var tooDeep: CrosstieError {
        CrosstieError(.limitExceeded, "over \(ValueRef.maxDepth) lists and maps are inside each other")
    }
}
