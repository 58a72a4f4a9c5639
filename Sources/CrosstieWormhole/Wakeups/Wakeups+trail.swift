import Synchronization

/// The trail: which identifiers have changed below prefixes that somebody listens to. Each bucket leads to the newest
/// note of what changed below its prefixes, and each note to the one before it in the same bucket. So a listener on a
/// prefix finds what is new below it, however much else has changed in the group, and without a look at the store.
///
/// Notes are written with the writers' lock held, after the commit and before ``lastSequence`` says so. What a writer
/// that died has not noted, ``trailBegin`` tells.
extension Wakeups {
    /// How much has ever been written to the trail, in bytes, with the note that is being written. Never 0 in a note's
    /// place.
    private var trailEnd: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.trailEndOffset) }

    /// From this sequence number on the trail lacks nothing up to ``lastSequence``.
    var trailBegin: UInt64 { word(WakeupsLayout.trailBeginOffset).pointee.load(ordering: .acquiring) }

    /// Notes that changes before a number may be missing.
    func beginTrail(with sequence: UInt64) {
        _ = word(WakeupsLayout.trailBeginOffset).pointee.max(sequence, ordering: .sequentiallyConsistent)
    }

    /// The newest change below the prefixes of a bucket.
    func newestBelow(_ prefixHash: UInt64) -> UInt64 {
        trailHead(prefixHash).sequence.pointee.load(ordering: .acquiring)
    }

    // MARK: Writing

    /// Notes a change for those who listen to prefixes of its identifier.
    @inline(__always)
    func leaveTrail(_ sequence: UInt64, _ identifier: Identifier) {
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
        let head = trailHead(prefixHash)
        // Whatever stands there.
        let position = max(trailEnd.pointee.load(ordering: .relaxed) & ~7, 8)
        // Before the first word: who reads what this overwrites learns of it.
        trailEnd.pointee.store(position &+ TrailNote.size(name.count), ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        setTrail(position, TrailNote.sequence, sequence)
        setTrail(position, TrailNote.before, head.position.pointee.load(ordering: .relaxed))
        setTrail(position, TrailNote.sequenceBefore, head.sequence.pointee.load(ordering: .relaxed))
        setTrail(position, TrailNote.bucket, UInt64(Wakeups.bucketIndex(prefixHash)) << 8 | UInt64(name.count))
        for offset in stride(from: 0, to: name.count, by: 8) {
            var part: UInt64 = 0
            withUnsafeMutableBytes(of: &part) { $0.copyBytes(from: name[offset..<min(offset + 8, name.count)]) }
            setTrail(position, TrailNote.name &+ UInt64(offset), part)
        }
        head.position.pointee.store(position, ordering: .releasing)
        head.sequence.pointee.store(sequence, ordering: .releasing)
    }

    // MARK: Reading

    /// Gives what has changed below a prefix after one number and up to another, which ``lastSequence`` has reached: the
    /// newest change first. False if it is not all known.
    func followTrail(
        _ prefixHash: UInt64, after consumed: UInt64, upTo last: UInt64,
        _ body: (UInt64, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard trailBegin <= consumed &+ 1 else { return false }
        if newestBelow(prefixHash) <= consumed { return true }
        var position = trailHead(prefixHash).position.pointee.load(ordering: .acquiring)
        while let note = trailNote(position, prefixHash) {
            if note.sequence <= consumed { return true }
            if note.sequence <= last { note.withName(body) }
            if note.sequenceBefore <= consumed { return true }
            // Whatever stands there, it comes to an end.
            guard note.before < position else { return false }
            position = note.before
        }
        return false
    }

    /// The note in a place of the trail; nil if it has been overwritten, or is none.
    private func trailNote(_ position: UInt64, _ prefixHash: UInt64) -> TrailNote? {
        guard position % 8 == 0, isKept(position) else { return nil }
        var note = TrailNote()
        note.sequence = trail(position, TrailNote.sequence)
        note.before = trail(position, TrailNote.before)
        note.sequenceBefore = trail(position, TrailNote.sequenceBefore)
        let bucket = trail(position, TrailNote.bucket)
        note.size = Int(bucket & 0xff)
        guard note.size <= Identifier.maximumSize else { return nil }
        for index in stride(from: 0, to: note.size, by: 8) {
            note.setName(index / 8, trail(position, TrailNote.name &+ UInt64(index)))
        }
        atomicMemoryFence(ordering: .acquiring)
        return isKept(position) && bucket >> 8 == UInt64(Wakeups.bucketIndex(prefixHash)) ? note : nil
    }

    /// Whether what was written in a place has not been overwritten yet.
    private func isKept(_ position: UInt64) -> Bool {
        let end = trailEnd.pointee.load(ordering: .acquiring)
        return position > 0 && position < end && end &- position <= WakeupsLayout.trailSize
    }

    // MARK: Where it lies

    private func trailHead(
        _ prefixHash: UInt64
    ) -> (position: UnsafeMutablePointer<Atomic<UInt64>>, sequence: UnsafeMutablePointer<Atomic<UInt64>>) {
        let offset = WakeupsLayout.trailHeadsOffset + Wakeups.bucketIndex(prefixHash) * WakeupsLayout.trailHeadStride
        return (word(offset), word(offset + 8))
    }

    @inline(__always)
    private func trailWord(_ position: UInt64, _ offset: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        let index = (position &+ offset) & (WakeupsLayout.trailSize - 8)
        return word(WakeupsLayout.trailOffset + Int(truncatingIfNeeded: index))
    }

    @inline(__always)
    private func trail(_ position: UInt64, _ offset: UInt64) -> UInt64 {
        trailWord(position, offset).pointee.load(ordering: .relaxed)
    }

    @inline(__always)
    private func setTrail(_ position: UInt64, _ offset: UInt64, _ value: UInt64) {
        trailWord(position, offset).pointee.store(value, ordering: .relaxed)
    }
}
