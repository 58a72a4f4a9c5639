import Synchronization

/// The values that a request or its response had before it got others. A host may have borrowed them, so they live as
/// long as the request.
package struct KeptValues: ~Copyable, Sendable {
    private let newest = Atomic<UInt>(0)

    private struct Item {
        let value: ValueRef
        /// The status that the value is the ``Explanation`` of; *ok* for another value.
        let explained: Status
        let next: Pointer?

        typealias Pointer = UnsafeMutablePointer<Item>
    }

    /// The word that leads to the values: 0 for none.
    @inline(__always)
    var bits: UInt { newest.load(ordering: .relaxed) }

    /// Takes a value; null is not kept.
    func add(_ value: ValueRef, explaining status: Status = .ok) {
        guard value.bits != ValueRef.null.bits else { return }
        let item = Item.Pointer.allocate(capacity: 1)
        var seen = newest.load(ordering: .relaxed)
        while true {
            item.initialize(to: Item(value: value, explained: status, next: Item.Pointer(bitPattern: seen)))
            let (won, now) = newest.compareExchange(
                expected: seen, desired: UInt(bitPattern: item), ordering: .acquiringAndReleasing)
            if won { return }
            seen = now
        }
    }

    /// The explanation of a status, if one was made.
    func explanation(of status: Status) -> ValueRef? {
        var item = Item.Pointer(bitPattern: newest.load(ordering: .acquiring))
        while let each = item {
            if each.pointee.explained == status { return each.pointee.value }
            item = each.pointee.next
        }
        return nil
    }

    /// Releases all values, at the end of the request's life.
    func releaseAll() {
        var item = Item.Pointer(bitPattern: newest.exchange(0, ordering: .relaxed))
        while let each = item {
            item = each.pointee.next
            each.pointee.value.release()
            each.deallocate()
        }
    }
}
