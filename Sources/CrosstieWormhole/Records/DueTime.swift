/// The time at which a message may be redelivered.
struct DueTime: Equatable {
    /// The cursor's: ``CursorState/era``.
    let era: UInt32
    /// By the clock of ``Clock/now()``, which restarts with each era.
    let clock: UInt64

    /// The fields of the record under a sequence.
    enum Layout {
        static var clock: RecordField<UInt64> { RecordField(0) }
        static var era: RecordField<UInt32> { RecordField(8) }
        static var size: Int { 12 }
    }

    init(era: UInt32, clock: UInt64) {
        self.era = era
        self.clock = clock
    }

    /// Reads the record under a sequence, of which every byte may be wrong; nil when it is none.
    init?(_ record: UnsafeRawBufferPointer) {
        guard record.count == Layout.size else { return nil }
        clock = record[Layout.clock]
        era = record[Layout.era]
    }

    /// Writes the record into room of the layout's size.
    func write(into room: UnsafeMutableRawBufferPointer) {
        guard room.count >= Layout.size else { return }
        room[Layout.clock] = clock
        room[Layout.era] = era
    }

    /// The same time by the clock of an era; 0 when it was before it.
    func clock(in era: UInt32) -> UInt64 { self.era == era ? clock : 0 }
}
