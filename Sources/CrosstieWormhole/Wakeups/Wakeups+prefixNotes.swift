import Synchronization

/// The notes of recent changes below prefixes with listeners. Each bucket leads to the newest note of a change below
/// its prefixes, and each note to the one before it in the same bucket. So a listener on a prefix finds new changes
/// below it without reading the store, however much else has changed in the group.
///
/// Notes are written with the writers' lock held, after the commit and before ``lastSequence`` states it.
/// ``prefixNotesBegin`` marks the gap of a writer that died before writing its notes.
extension Wakeups {
    /// The bytes that have ever been written to the notes, with the note that is being written. Never 0 for a note.
    private var prefixNotesEnd: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.prefixNotesEndOffset) }

    /// From this sequence number on the notes lack nothing up to ``lastSequence``.
    var prefixNotesBegin: UInt64 { word(WakeupsLayout.prefixNotesBeginOffset).pointee.load(ordering: .acquiring) }

    /// Notes that changes before a number may be missing.
    func beginPrefixNotes(with sequence: UInt64) {
        _ = word(WakeupsLayout.prefixNotesBeginOffset).pointee.max(sequence, ordering: .sequentiallyConsistent)
    }

    /// The newest change below the prefixes of a bucket.
    func newestBelow(_ prefixHash: UInt64) -> UInt64 {
        prefixNoteHead(prefixHash).sequence.pointee.load(ordering: .acquiring)
    }

    // MARK: Writing

    /// Notes a change for the listeners to prefixes of its identifier.
    @inline(__always)
    func addPrefixNotes(_ sequence: UInt64, _ identifier: Identifier) {
        if mask(WakeupsLayout.prefixMaskOffset).isEmpty { return }
        leaveNotes(sequence, identifier)
    }

    @inline(never)
    private func leaveNotes(_ sequence: UInt64, _ identifier: Identifier) {
        identifier.forEachPrefixHash { hash in
            if !mask(Wakeups.bucketOffset(hash)).isEmpty { leaveNote(sequence, identifier.bytes, below: hash) }
        }
    }

    private func leaveNote(_ sequence: UInt64, _ name: UnsafeRawBufferPointer, below prefixHash: UInt64) {
        let head = prefixNoteHead(prefixHash)
        // Shared memory may contain any value.
        let position = max(prefixNotesEnd.pointee.load(ordering: .relaxed) & ~7, 8)
        // Before the first word, so that readers of the overwritten notes detect it.
        prefixNotesEnd.pointee.store(position &+ PrefixNote.size(name.count), ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        setNoteWord(position, PrefixNote.sequence, sequence)
        setNoteWord(position, PrefixNote.before, head.position.pointee.load(ordering: .relaxed))
        setNoteWord(position, PrefixNote.sequenceBefore, head.sequence.pointee.load(ordering: .relaxed))
        setNoteWord(position, PrefixNote.bucket, UInt64(Wakeups.bucketIndex(prefixHash)) << 8 | UInt64(name.count))
        for offset in stride(from: 0, to: name.count, by: 8) {
            var part: UInt64 = 0
            withUnsafeMutableBytes(of: &part) { $0.copyBytes(from: name[offset..<min(offset + 8, name.count)]) }
            setNoteWord(position, PrefixNote.name &+ UInt64(offset), part)
        }
        head.position.pointee.store(position, ordering: .releasing)
        head.sequence.pointee.store(sequence, ordering: .releasing)
    }

    // MARK: Reading

    /// Returns the changes below a prefix after one number and up to another, which ``lastSequence`` has reached: the
    /// newest change first. False if it is not all known.
    func followPrefixNotes(
        _ prefixHash: UInt64, after consumed: UInt64, upTo last: UInt64,
        _ body: (UInt64, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard prefixNotesBegin <= consumed &+ 1 else { return false }
        if newestBelow(prefixHash) <= consumed { return true }
        var position = prefixNoteHead(prefixHash).position.pointee.load(ordering: .acquiring)
        while let note = prefixNote(position, prefixHash) {
            if note.sequence <= consumed { return true }
            if note.sequence <= last { note.withName(body) }
            if note.sequenceBefore <= consumed { return true }
            // With any contents the walk ends.
            guard note.before < position else { return false }
            position = note.before
        }
        return false
    }

    /// The note at a position; nil if it has been overwritten, or is none.
    private func prefixNote(_ position: UInt64, _ prefixHash: UInt64) -> PrefixNote? {
        guard position % 8 == 0, isKept(position) else { return nil }
        var note = PrefixNote()
        note.sequence = noteWord(position, PrefixNote.sequence)
        note.before = noteWord(position, PrefixNote.before)
        note.sequenceBefore = noteWord(position, PrefixNote.sequenceBefore)
        let bucket = noteWord(position, PrefixNote.bucket)
        note.size = Int(bucket & 0xff)
        guard note.size <= Identifier.maximumSize else { return nil }
        for index in stride(from: 0, to: note.size, by: 8) {
            note.setName(index / 8, noteWord(position, PrefixNote.name &+ UInt64(index)))
        }
        atomicMemoryFence(ordering: .acquiring)
        return isKept(position) && bucket >> 8 == UInt64(Wakeups.bucketIndex(prefixHash)) ? note : nil
    }

    /// Whether the text at a position has not been overwritten yet.
    private func isKept(_ position: UInt64) -> Bool {
        let end = prefixNotesEnd.pointee.load(ordering: .acquiring)
        return position > 0 && position < end && end &- position <= WakeupsLayout.prefixNotesSize
    }

    // MARK: Where it lies

    private func prefixNoteHead(
        _ prefixHash: UInt64
    ) -> (position: UnsafeMutablePointer<Atomic<UInt64>>, sequence: UnsafeMutablePointer<Atomic<UInt64>>) {
        let offset =
            WakeupsLayout.prefixNoteHeadsOffset + Wakeups.bucketIndex(prefixHash) * WakeupsLayout.prefixNoteHeadStride
        return (word(offset), word(offset + 8))
    }

    @inline(__always)
    private func noteWordPointer(_ position: UInt64, _ offset: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        let index = (position &+ offset) & (WakeupsLayout.prefixNotesSize - 8)
        return word(WakeupsLayout.prefixNotesOffset + Int(truncatingIfNeeded: index))
    }

    @inline(__always)
    private func noteWord(_ position: UInt64, _ offset: UInt64) -> UInt64 {
        noteWordPointer(position, offset).pointee.load(ordering: .relaxed)
    }

    @inline(__always)
    private func setNoteWord(_ position: UInt64, _ offset: UInt64, _ value: UInt64) {
        noteWordPointer(position, offset).pointee.store(value, ordering: .relaxed)
    }
}
