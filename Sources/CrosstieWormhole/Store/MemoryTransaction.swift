/// A transaction on a store in memory.
final class MemoryTransaction: RecordTransaction {
    private let store: MemoryStore
    private var state: MemoryStore.State
    /// The number of changes of the records, so that a scan sees that its position is invalid.
    private var changeCount = 0

    init(_ store: MemoryStore, _ state: MemoryStore.State) {
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
