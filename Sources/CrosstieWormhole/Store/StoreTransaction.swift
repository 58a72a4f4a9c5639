/// A transaction on a group's store, ended by its deinitializer.
struct StoreTransaction: ~Copyable {
    let records: any RecordTransaction
    private var isOver = false

    init(_ records: any RecordTransaction) { self.records = records }

    deinit { if !isOver { records.end() } }

    /// The number of the state that is read, or of the one that is being written.
    @inline(__always)
    var number: UInt64 { records.number }

    /// Commits the transaction, which has ended also if this fails.
    mutating func commit() throws(CrosstieError) {
        isOver = true
        try records.commit()
    }

    func meta() throws(CrosstieError) -> StoreMeta {
        let bytes = try StoreKey.with(StoreKey.meta) { key throws(CrosstieError) in try records.get(key) }
        guard let bytes else { throw CrosstieError(.corruptData, "the store has no counts") }
        let meta = try StoreMeta(bytes)
        // A host's transport may say that an older state is the newest one. A listener that believed the number would
        // take all that comes for old.
        guard Int64(bitPattern: meta.sequence(ofState: number)) >= 0 else {
            throw CrosstieError(.corruptData, "the store's counts are not of this state")
        }
        return meta
    }

    /// Changes the group's counts.
    func edit(_ body: (inout StoreMeta) throws(CrosstieError) -> Void) throws(CrosstieError) {
        var meta = try meta()
        try body(&meta)
        try put(meta)
    }

    func put(_ meta: StoreMeta) throws(CrosstieError) {
        let room = try StoreKey.with(StoreKey.meta) { key throws(CrosstieError) in
            try records.reserve(key, size: StoreMeta.size, isLast: false)
        }
        meta.write(into: room)
    }

    /// The record of a type under a key; nil without one.
    @inline(__always)
    func get(
        _ type: UInt8, _ name: UnsafeRawBufferPointer
    ) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        try StoreKey.with(type, name) { key throws(CrosstieError) in try records.get(key) }
    }

    /// Makes room for a record of a type under some bytes, to be filled before anything else is done.
    @inline(__always)
    func reserve(
        _ type: UInt8, _ name: UnsafeRawBufferPointer, size: Int
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer {
        try StoreKey.with(type, name) { key throws(CrosstieError) in
            try records.reserve(key, size: size, isLast: false)
        }
    }

    func remove(_ type: UInt8, _ name: UnsafeRawBufferPointer) throws(CrosstieError) {
        try StoreKey.with(type, name) { key throws(CrosstieError) in try records.remove(key) }
    }

    /// Shows `body` the records of a type, from a name on, with their names; it says when to stop.
    func scan(_ type: UInt8, from name: [UInt8] = [], _ body: RecordTransaction.Scan) throws(CrosstieError) {
        try name.withBytes { name throws(CrosstieError) in
            try StoreKey.with(type, name) { start throws(CrosstieError) in
                try records.scan(from: start) { key, record throws(CrosstieError) in
                    guard key.first == type else { return .stop }
                    return try body(UnsafeRawBufferPointer(rebasing: key.dropFirst()), record)
                }
            }
        }
    }
}

extension RecordStore {
    @inline(__always)
    func reading() throws(CrosstieError) -> StoreTransaction { StoreTransaction(try beginReading()) }

    @inline(__always)
    func writing() throws(CrosstieError) -> StoreTransaction { StoreTransaction(try beginWriting()) }
}
