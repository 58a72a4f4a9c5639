import Synchronization

/// The references to a record: those of the pipeline, of the response, of the call, and one for each retain.
package struct ReferenceCount: ~Copyable, Sendable {
    private let word = Atomic<UInt32>(0)

    /// Starts a record's life, while one thread alone can reach it.
    @inline(__always)
    func start(_ count: UInt32 = 1) { word.store(count, ordering: .relaxed) }

    @inline(__always)
    func add() { word.add(1, ordering: .relaxed) }

    /// Removes one reference. Returns true for the last one: the record's life has ended.
    @inline(__always)
    func remove() -> Bool {
        // The owner of the only reference is alone, and needs no read-modify-write.
        word.load(ordering: .acquiring) == 1 || word.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}
