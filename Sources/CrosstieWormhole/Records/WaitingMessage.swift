/// A rejected message that waits for its redelivery. No listener has it, and there may be any number of them, so it has
/// records of its own: one under its time, by which claims find due messages, and one under its sequence, by which the
/// trimmer finds needed ones. Neither the cursor's record nor the time of a claim grows with their number.
struct WaitingMessage: Equatable {
    let sequence: UInt64
    /// The number of times that it was given to a listener.
    let attempts: UInt32
    let due: DueTime

    /// Of the record under the sequence: the time.
    static var size: Int { DueTime.Layout.size }
    /// Of the record under the time: the number of deliveries.
    static var dueSize: Int { 4 }
    /// Approximate bytes of both in a store.
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
