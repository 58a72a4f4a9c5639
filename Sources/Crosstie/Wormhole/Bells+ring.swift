internal import CPlatform
import Synchronization

// Bit 0 of a bell says that its owner sleeps; the rest counts.
extension Bells {
    /// Rings the bells of some slots. What they shall find must have been committed before.
    @inline(__always)
    func ring(_ slots: SlotMask) {
        slots.forEach { slot in ring(slot) }
    }

    @inline(__always)
    func ring(_ slot: Int) {
        let bell = bell(slot)
        guard bell.pointee.wrappingAdd(2, ordering: .sequentiallyConsistent).oldValue & 1 == 1 else { return }
        // Taken back by the ringer, so that a sleeper which is slow to wake, or dead, costs one call.
        bell.pointee.bitwiseAnd(~1, ordering: .sequentiallyConsistent)
        _ = cp_futex_wake(UnsafeRawPointer(bell), Int32.max, true)
    }

    /// Notes a change, so that listeners with many identifiers look only at what changed. The writer's lock
    /// is held, so that there is one writer.
    @inline(__always)
    func note(_ sequence: UInt64, hash: UInt64) {
        let entry = ringEntry(sequence)
        entry.sequence.pointee.store(0, ordering: .relaxed)
        entry.hash.pointee.store(hash, ordering: .releasing)
        entry.sequence.pointee.store(sequence, ordering: .releasing)
        lastSequence.pointee.store(sequence, ordering: .releasing)
    }

    /// The hash of what a change touched; nil if the note is gone, or was never made because its writer died.
    func hash(ofChange sequence: UInt64) -> UInt64? {
        let entry = ringEntry(sequence)
        guard entry.sequence.pointee.load(ordering: .acquiring) == sequence else { return nil }
        let hash = entry.hash.pointee.load(ordering: .acquiring)
        return entry.sequence.pointee.load(ordering: .acquiring) == sequence ? hash : nil
    }

    /// The word that the kernel changes when a writer dies between its commit and its ringing.
    var intentWord: UInt32 {
        cp_robust_load(intentLock)
    }

    /// Sleeps until the bell of a slot rings, a writer dies, or a second has passed. `bell` is what it read
    /// before it looked into the store; when it has been rung since, there is no sleep.
    func sleep(slot: Int, bell seen: UInt32) {
        let word = bell(slot)
        let asleep = seen | 1
        guard word.pointee.compareExchange(expected: seen, desired: asleep, ordering: .sequentiallyConsistent).exchanged
        else { return }
        defer { word.pointee.bitwiseAnd(~1, ordering: .sequentiallyConsistent) }
        let intent = intentWord
        _ = cp_wait_two(UnsafeRawPointer(word), asleep, cp_robust_word(intentLock), intent, 1_000_000_000)
        wakeOthersIfWriterDied(intent)
    }

    /// The kernel wakes one of those who watch a writer; that one wakes the others.
    private func wakeOthersIfWriterDied(_ before: UInt32) {
        let intent = intentWord
        guard intent != before, cp_robust_owner_died(intent) else { return }
        _ = cp_futex_wake(cp_robust_word(intentLock), Int32.max, true)
    }

    private func ringEntry(
        _ sequence: UInt64
    ) -> (sequence: UnsafeMutablePointer<Atomic<UInt64>>, hash: UnsafeMutablePointer<Atomic<UInt64>>) {
        let index = Int(truncatingIfNeeded: sequence & (BellsLayout.ringCount - 1))
        let offset = BellsLayout.ringOffset + index * BellsLayout.ringStride
        return (word(offset), word(offset + 8))
    }
}
