/// When a message may be given out again.
struct DueTime: Equatable {
    /// The cursor's: ``CursorState/era``.
    let era: UInt32
    /// By the clock of ``Clock/now()``, which begins anew with each era.
    let clock: UInt64

    init(era: UInt32, clock: UInt64) {
        self.era = era
        self.clock = clock
    }

    /// Reads the record under a sequence, of which every byte may be wrong; nil when it is none.
    init?(_ record: UnsafeRawBufferPointer) {
        guard record.count == WaitingMessage.size else { return nil }
        clock = record.loadUnaligned(as: UInt64.self)
        era = record.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    }

    /// The same time by the clock of an era; 0 when it was before it.
    func clock(in era: UInt32) -> UInt64 { self.era == era ? clock : 0 }
}
