import Synchronization

extension HandleTable {
    /// The record of a handle, if it is live.
    @inline(__always)
    package func resolve<Record: ~Copyable>(
        _ handle: Handle, _ kind: HandleKind, as _: Record.Type, stride: Int = MemoryLayout<Record>.stride
    ) -> Resolved<Record> {
        guard handle.isKind(kind),
            let record = record(handle.index, stride: stride),
            HandleTable.header(record).pointee.generation.load(ordering: .acquiring) == handle.generation,
            handle.generation & 1 == 1
        else { return .dead }
        guard !HandleTable.header(record).pointee.isFromBeforeFork else { return .forked }
        return .live(record.assumingMemoryBound(to: Record.self))
    }
}

extension RecordHeader {
    /// Makes the record live. Its other fields must be set before.
    @inline(__always)
    package func publish() {
        forkCount.store(ProcessState.current.pointee.forkCount.load(ordering: .relaxed), ordering: .relaxed)
        generation.store(generation.load(ordering: .relaxed) | 1, ordering: .releasing)
    }

    /// Whether the record was last made live by a process that this one was forked from.
    @inline(__always)
    package var isFromBeforeFork: Bool {
        forkCount.load(ordering: .relaxed) != ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    }

    /// The handle of a live record.
    @inline(__always)
    package func handle(_ kind: HandleKind) -> Handle {
        Handle(kind, index: index, generation: generation.load(ordering: .relaxed))
    }

    /// Ends the life that `generation` names. False when somebody else did.
    @inline(__always)
    package func retire(_ generation: UInt32) -> Bool {
        generation & 1 == 1
            && self.generation.compareExchange(
                expected: generation, desired: generation &+ 1, ordering: .acquiringAndReleasing
            ).exchanged
    }
}
