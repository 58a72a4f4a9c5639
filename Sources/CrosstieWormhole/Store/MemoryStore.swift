/// Records kept in this process's memory. Whoever reads has a state of its own, which later commits leave alone.
final class MemoryStore: RecordStore {
    private let lock = Lock()
    /// The current state. Guarded by the lock; changed by who has the writers' lock, too.
    private var state = State()
    private let maximumSize: UInt64

    /// What the store holds at one time.
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

    /// What removes needs no room: the little that it writes is bounded.
    func requireRoom(for size: Int) throws(CrosstieError) {
        let used = UInt64(clamping: lock.with { state.records.footprint })
        guard used &+ UInt64(clamping: size) &+ UInt64(MemoryRecord.overhead) <= maximumSize else {
            throw CrosstieError(.noSpace, "the group's store is full: \(maximumSize >> 20) MiB")
        }
    }

    func clearDeadReaders() {}

    func sync() throws(CrosstieError) {}

    func close() { lock.free() }

    fileprivate var current: State { lock.with { state } }

    fileprivate func publish(_ next: State) {
        var next = next
        // The old state is let go of after the lock.
        lock.with { swap(&state, &next) }
    }
}

/// A transaction on a store in memory.
final class MemoryTransaction: RecordTransaction {
    private let store: MemoryStore
    private var state: MemoryStore.State
    /// How often the records have been changed, so that a scan sees that its place is not what it was.
    private var changeCount = 0

    fileprivate init(_ store: MemoryStore, _ state: MemoryStore.State) {
        self.store = store
        self.state = state
    }

    var number: UInt64 { state.number }

    func get(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        state.records.record(key)?.bytes
    }

    func reserve(
        _ key: UnsafeRawBufferPointer, size: Int, isLast: Bool
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer {
        let record = try MemoryRecord(key, size: size)
        changeCount += 1
        state.records.put(record)
        return record.room
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CrosstieError) {
        changeCount += 1
        state.records.remove(key)
    }

    func removeEverything() throws(CrosstieError) {
        changeCount += 1
        state.records = RecordMap()
    }

    func scan(from start: UnsafeRawBufferPointer, _ body: Scan) throws(CrosstieError) {
        var position = state.records.position(notBefore: start)
        while let record = state.records.record(at: position) {
            let before = changeCount
            let step = try body(record.key, record.bytes)
            if step == .stop { return }
            if changeCount != before {
                position = state.records.position(notBefore: record.key)
                // It was removed: there is the next one already.
                guard state.records.record(at: position)?.hasKey(of: record) == true else { continue }
            }
            if step == .remove {
                position = state.records.remove(at: position)
            } else {
                position = state.records.position(after: position)
            }
        }
    }

    func last() throws(CrosstieError) -> (key: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer)? {
        state.records.last.map { ($0.key, $0.bytes) }
    }

    func commit() throws(CrosstieError) { store.publish(state) }

    func end() {}
}
