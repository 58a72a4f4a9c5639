/// Records in this process's memory. Each reader has a state of its own, which later commits do not change.
final class MemoryStore: RecordStore {
    private let lock = Lock()
    /// The current state. Guarded by the lock; a thread that changes it holds the writers' lock, too.
    private var state = State()
    private let maximumSize: UInt64

    /// The contents of the store at one time.
    struct State {
        var number: UInt64 = 0
        var records = RecordMap()
    }

    /// - Parameter maximumSize: bytes that the records may take.
    init(maximumSize: UInt64) { self.maximumSize = maximumSize }

    func beginReading() throws(CrosstieError) -> any RecordTransaction {
        MemoryTransaction(self, current)
    }

    func beginWriting() throws(CrosstieError) -> any RecordTransaction {
        var draft = current
        draft.number &+= 1
        return MemoryTransaction(self, draft)
    }

    /// Removing needs no room: its few writes are bounded.
    func requireRoom(for size: Int) throws(CrosstieError) {
        let used = UInt64(clamping: lock.with { state.records.footprint })
        guard used &+ UInt64(clamping: size) &+ UInt64(MemoryRecord.overhead) <= maximumSize else {
            throw CrosstieError(.noSpace, "the group's store is full: \(maximumSize >> 20) MiB")
        }
    }

    func clearDeadReaders() {}

    func sync() throws(CrosstieError) {}

    func close() { lock.free() }

    var current: State { lock.with { state } }

    func publish(_ next: State) {
        var next = next
        // The old state is released after the lock.
        lock.with { swap(&state, &next) }
    }
}
