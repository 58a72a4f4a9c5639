internal import CPlatform
internal import Glibc

/// The routes of a bus: patterns with a value each, matched against parsed URLs.
///
/// It is a tree of nodes whose literal steps are all in one open-addressing hash table. One writer at a time changes it
/// in place, a single linking word last, while any number of readers match: each of them sees the table before or after
/// a change. When room runs out the writer builds a larger table and swaps it in.
///
/// The table is plain memory behind one pointer: copies of the struct are the same table. Everything
/// about it that threads share is either constant or a single word that is stored and loaded atomically.
package struct RouteTable: @unchecked Sendable {
    /// Holds the pointer to the current block.
    private let cell: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// An empty table; ``destroy()`` frees it. `nil` when there is no memory.
    ///
    /// - Parameter routes: how many routes it should have room for from the start.
    package static func create(reserving routes: Int = 0) -> RouteTable? {
        let capacity = RouteCapacity(routes: routes)
        guard let block = RouteBlock.create(capacity, seeds: RouteSeeds.random()) else { return nil }
        // A cache line of its own: writes to neighboring data would slow the readers.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
        return RouteTable(cell: memory.initializeMemory(as: UnsafeMutableRawPointer?.self, to: block))
    }

    /// Frees the table. Nobody may be reading it.
    package func destroy() {
        if let block { RouteBlock.destroy(block) }
        cell.deallocate()
    }

    /// Takes over what another table holds, in place of what this one did: a reader sees the one or the other whole.
    /// For the writer of both.
    ///
    /// - Parameters:
    ///   - other: used up, and nobody may be reading it.
    ///   - grace: waits until no reader is in a read section that began before.
    package func adopt(_ other: consuming RouteTable, grace: () -> Void) {
        guard let block = other.block else { return }
        other.cell.deallocate()
        publish(block, grace: grace)
    }

    /// The current block, for a reader in its read section or for the writer. `nil` never occurs.
    @inline(__always)
    var block: UnsafeMutablePointer<RouteBlock>? {
        cp_pointer_acquire(cell)?.assumingMemoryBound(to: RouteBlock.self)
    }

    /// Swaps in a block and frees the old one when the readers have left it.
    func publish(_ block: UnsafeMutablePointer<RouteBlock>, grace: () -> Void) {
        let old = self.block
        cp_pointer_release(cell, block)
        grace()
        if let old { RouteBlock.destroy(old) }
    }
}

extension RouteTable {
    /// Bytes that the table takes.
    package var memory: Int { block?.pointee.capacity.bytes ?? 0 }
}
