internal import CPlatform
import Synchronization

// Bit 0 of a wakeup word says that its owner sleeps; the rest counts.
extension Wakeups {
    /// Notifies some slots, and returns those whose owners sleep and must be woken. The changes that they look for must
    /// have been committed before.
    @inline(__always)
    func notify(_ slots: MemberMask) -> MemberMask {
        var sleepers = MemberMask()
        if slots.isEmpty { return sleepers }
        let core = cp_core()
        slots.forEach { slot in
            notifyingCore(slot).pointee.store(core, ordering: .relaxed)
            let before = wakeup(slot).pointee.wrappingAdd(2, ordering: .sequentiallyConsistent).oldValue
            if before & 1 == 1 { sleepers.insert(slot) }
        }
        return sleepers
    }

    @inline(__always)
    func wake(_ sleepers: MemberMask) {
        sleepers.forEach { slot in
            // Taken back by the ringer, so that a sleeper which is slow to wake, or dead, costs one call; and not
            // before here, so that until then every other writer wakes it too.
            wakeup(slot).pointee.bitwiseAnd(~1, ordering: .sequentiallyConsistent)
            _ = cp_futex_wake(UnsafeRawPointer(wakeup(slot)), Int32.max, true)
        }
    }

    func nudge(_ slot: Int) { wake(notify(MemberMask(slot))) }

    /// Notifies all members in place of a dead writer. That may have marked sleepers as notified without waking them,
    /// so all are woken, whatever their words say.
    func notifyForDeadWriter() {
        _ = notify(everybody)
        wake(everybody)
    }

    /// Notes a change, so that listeners with many identifiers look only at what changed. The writer's lock
    /// is held, so that there is one writer.
    ///
    /// - Parameter identifier: what it touched; nil for everything.
    @inline(__always)
    func note(_ sequence: UInt64, _ identifier: Identifier?) {
        let entry = recentChange(sequence)
        entry.sequence.pointee.store(0, ordering: .relaxed)
        entry.hash.pointee.store(identifier?.hash ?? 0, ordering: .releasing)
        entry.sequence.pointee.store(sequence, ordering: .releasing)
        if let identifier { addPrefixNotes(sequence, identifier) }
    }

    /// Notes that a transaction has ended, and its newest number, which the next one continues, unless this writer dies
    /// before.
    @inline(__always)
    func note(transaction: UInt64, lastSequence last: UInt64) {
        lastSequence.pointee.store(last, ordering: .releasing)
        lastTransaction.pointee.store(transaction, ordering: .releasing)
    }

    /// The hash of a changed identifier; nil if the note has been overwritten, or is missing because its writer died.
    func hash(ofChange sequence: UInt64) -> UInt64? {
        let entry = recentChange(sequence)
        guard entry.sequence.pointee.load(ordering: .acquiring) == sequence else { return nil }
        let hash = entry.hash.pointee.load(ordering: .acquiring)
        return entry.sequence.pointee.load(ordering: .acquiring) == sequence ? hash : nil
    }

    private func recentChange(
        _ sequence: UInt64
    ) -> (sequence: UnsafeMutablePointer<Atomic<UInt64>>, hash: UnsafeMutablePointer<Atomic<UInt64>>) {
        let index = Int(truncatingIfNeeded: sequence & (WakeupsLayout.recentChangeCount - 1))
        let offset = WakeupsLayout.recentChangesOffset + index * WakeupsLayout.recentChangeStride
        return (word(offset), word(offset + 8))
    }
}
