/// A message that was rejected and waits for its next try. It is in nobody's hands, and there may be any number of them,
/// so it stands in records of its own: one under its time, by which claims find what is due, and one under its sequence,
/// by which the trimmer finds what the log has to keep. Neither the cursor's record grows with them, nor the time of a
/// claim.
struct WaitingMessage: Equatable {
    let sequence: UInt64
    /// How often it has been given to a listener.
    let attempts: UInt32
    let due: DueTime

    /// Of the record under the sequence: the time.
    static var size: Int { DueTime.Layout.size }
    /// Of the record under the time: how often it has been given out.
    static var dueSize: Int { 4 }
    /// What both take in a store, about.
    static var footprint: Int { 128 }

    init(sequence: UInt64, attempts: UInt32, due: DueTime) {
        self.sequence = sequence
        self.attempts = attempts
        self.due = due
    }

    /// Reads the record under a time, of which every byte may be wrong; nil when it is none.
    init?(key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        guard key.count == WaitingKey.dueSize, record.count == WaitingMessage.dueSize else { return nil }
        sequence = UInt64(bigEndian: key[WaitingKey.TimeLayout.sequence])
        attempts = record.loadUnaligned(as: UInt32.self)
        due = DueTime(
            era: UInt32(bigEndian: key[WaitingKey.TimeLayout.era]),
            clock: UInt64(bigEndian: key[WaitingKey.TimeLayout.clock]))
    }
}
