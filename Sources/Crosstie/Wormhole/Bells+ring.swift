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

    /// What tells that a writer died between its commit and its ringing; read before looking into the store.
    var writerWatch: WriterWatch {
        let deaths = word(BellsLayout.deathCountOffset).pointee.load(ordering: .sequentiallyConsistent)
        return WriterWatch(intent: cp_robust_load(intentLock), deaths: deaths)
    }

    /// Notes that the intent lock's last owner died. By whoever has it now, before the next commit.
    func countDeath() { word(BellsLayout.deathCountOffset).pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// Sleeps until the bell of a slot rings, a writer dies, or a second has passed. `bell` and `watch` are
    /// what was read before looking into the store; if they have changed since there is no sleep.
    func sleep(slot: Int, bell seen: UInt32, watch: WriterWatch) {
        let word = bell(slot)
        let asleep = seen | 1
        guard word.pointee.compareExchange(expected: seen, desired: asleep, ordering: .sequentiallyConsistent).exchanged
        else { return }
        defer { word.pointee.bitwiseAnd(~1, ordering: .sequentiallyConsistent) }
        let now = writerWatch
        if now != watch, cp_robust_owner_died(now.intent) { return }
        let address = UnsafeRawPointer(word)
        let isByDeath = cp_wait_two(address, asleep, cp_robust_word(intentLock), now.intent, 1_000_000_000)
        // The kernel wakes one of those who watch a writer, and that one rings for it.
        if isByDeath { ring(everybody) }
    }

    private func ringEntry(
        _ sequence: UInt64
    ) -> (sequence: UnsafeMutablePointer<Atomic<UInt64>>, hash: UnsafeMutablePointer<Atomic<UInt64>>) {
        let index = Int(truncatingIfNeeded: sequence & (BellsLayout.ringCount - 1))
        let offset = BellsLayout.ringOffset + index * BellsLayout.ringStride
        return (word(offset), word(offset + 8))
    }
}

/// The state of the intent lock, and how many of its owners have died.
struct WriterWatch: Equatable {
    let intent: UInt32
    let deaths: UInt64
}
