internal import Glibc
import Synchronization

/// The first fields of every record.
package struct RecordHeader: ~Copyable {
    /// Odd while the record is live.
    package let generation: Atomic<UInt32>
    /// The fork count of the process that made it.
    package let forkCount: Atomic<UInt32>
    package let index: UInt32
    /// The next free record's index; 0 ends the list.
    let nextFree: Atomic<UInt32>

    init(index: UInt32) {
        generation = Atomic(0)
        forkCount = Atomic(0)
        self.index = index
        nextFree = Atomic(0)
    }
}
