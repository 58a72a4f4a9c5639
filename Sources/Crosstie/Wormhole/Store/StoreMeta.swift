/// The group's counts, one record of the store. Passing a single message changes none of them.
struct StoreMeta {
    /// What makes a sequence number of the number of a transaction: batches raise it, transactions without a
    /// message lower it. Wraps.
    var offset: UInt64 = 0
    /// The last signal's number: who has heard it need not look for signals.
    var lastSignal: UInt64 = 0
    /// When everything was last destroyed.
    var destroyedAll = Stamp()
    /// The newest *destroyed* record that was dropped for age.
    var forgotten: UInt64 = 0
    /// The newest queued message that was dropped although somebody had not heard it.
    var dropped: UInt64 = 0
    /// The number up to which the interests have counted what was queued. See ``LogCounts``.
    var counted: UInt64 = 0
    /// How many *destroyed* records there are.
    var tombstones: UInt32 = 0

    static var format: UInt32 { 1 }
    static var size: Int { 72 }
    /// Destroyed records kept for listeners that are slow to hear of them.
    static var maximumTombstones: UInt32 { 1024 }

    init() {}

    /// The newest sequence number in the state of a number; the state of number 1 made the store.
    @inline(__always)
    func sequence(ofState number: UInt64) -> UInt64 { number &- 1 &+ offset }

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) throws(CrosstieError) {
        let format = bytes.count >= StoreMeta.size ? bytes.loadUnaligned(as: UInt32.self) : 0
        guard format > 0 else { throw CrosstieError(.corrupt, "the store's counts are damaged") }
        guard format <= StoreMeta.format else {
            throw CrosstieError(.version, "the store was written by a newer version of the library (format \(format))")
        }
        tombstones = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        lastSignal = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        destroyedAll.sequence = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        destroyedAll.time = bytes.loadUnaligned(fromByteOffset: 24, as: Int64.self)
        destroyedAll.pid = bytes.loadUnaligned(fromByteOffset: 32, as: Int32.self)
        forgotten = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
        offset = bytes.loadUnaligned(fromByteOffset: 48, as: UInt64.self)
        dropped = bytes.loadUnaligned(fromByteOffset: 56, as: UInt64.self)
        counted = bytes.loadUnaligned(fromByteOffset: 64, as: UInt64.self)
    }

    @inline(__always)
    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= StoreMeta.size else { return }
        base.storeBytes(of: StoreMeta.format, as: UInt32.self)
        base.storeBytes(of: tombstones, toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: lastSignal, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: destroyedAll.sequence, toByteOffset: 16, as: UInt64.self)
        base.storeBytes(of: destroyedAll.time, toByteOffset: 24, as: Int64.self)
        base.storeBytes(of: destroyedAll.pid, toByteOffset: 32, as: Int32.self)
        base.storeBytes(of: UInt32(0), toByteOffset: 36, as: UInt32.self)
        base.storeBytes(of: forgotten, toByteOffset: 40, as: UInt64.self)
        base.storeBytes(of: offset, toByteOffset: 48, as: UInt64.self)
        base.storeBytes(of: dropped, toByteOffset: 56, as: UInt64.self)
        base.storeBytes(of: counted, toByteOffset: 64, as: UInt64.self)
    }
}
