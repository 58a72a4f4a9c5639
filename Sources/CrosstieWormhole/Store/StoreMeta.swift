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
    /// The newest queued message that was dropped although somebody had not heard it. None before it is left.
    var dropped: UInt64 = 0
    /// The number up to which messages have been destroyed that were queued. Others before it may be left.
    var purged: UInt64 = 0
    /// The number up to which the interests have counted what was queued. See ``LogCounts``.
    var counted: UInt64 = 0
    /// What has been removed from the log, by the counts of its end: the difference is what is in it. The counts of the
    /// next block go on from here when the log is empty.
    var removed = LogTail()
    /// Up to where a sweep of the log has come; 0 while there is none. See ``LogTrimmer``.
    var sweepPosition: UInt64 = 0
    /// The last sweep was begun when this was the newest number; and who needed what up to it then, see
    /// ``TrimView/fingerprint(upTo:dropped:)``.
    var sweptUpTo: UInt64 = 0
    var swept: UInt64 = 0
    /// What the log's end says when the next one begins.
    var sweepDue = LogTail()
    /// How many *destroyed* records there are.
    var tombstones: UInt32 = 0

    static var format: UInt32 { 3 }
    static var size: Int { 136 }
    /// Destroyed records kept for listeners that are slow to hear of them.
    static var maximumTombstones: UInt32 { 1024 }

    init() {}

    /// Counts messages that go from the log, and the bytes that it becomes shorter.
    mutating func noteRemoved(_ count: Int, size: Int) {
        removed.index &+= UInt64(clamping: count)
        removed.total &+= UInt64(clamping: size)
    }

    /// The newest sequence number in the state of a number; the state of number 1 made the store.
    @inline(__always)
    func sequence(ofState number: UInt64) -> UInt64 { number &- 1 &+ offset }

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) throws(CrosstieError) {
        let format = bytes.count >= 4 ? bytes.loadUnaligned(as: UInt32.self) : 0
        guard format == 0 || format == StoreMeta.format else {
            throw CrosstieError(
                .incompatibleVersion, "the store has format \(format), and this library reads \(StoreMeta.format)")
        }
        guard format > 0, bytes.count >= StoreMeta.size else {
            throw CrosstieError(.corruptData, "the store's counts are damaged")
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
        purged = bytes.loadUnaligned(fromByteOffset: 72, as: UInt64.self)
        removed.index = bytes.loadUnaligned(fromByteOffset: 80, as: UInt64.self)
        removed.total = bytes.loadUnaligned(fromByteOffset: 88, as: UInt64.self)
        sweepPosition = bytes.loadUnaligned(fromByteOffset: 96, as: UInt64.self)
        sweepDue.index = bytes.loadUnaligned(fromByteOffset: 104, as: UInt64.self)
        sweepDue.total = bytes.loadUnaligned(fromByteOffset: 112, as: UInt64.self)
        sweptUpTo = bytes.loadUnaligned(fromByteOffset: 120, as: UInt64.self)
        swept = bytes.loadUnaligned(fromByteOffset: 128, as: UInt64.self)
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
        base.storeBytes(of: purged, toByteOffset: 72, as: UInt64.self)
        base.storeBytes(of: removed.index, toByteOffset: 80, as: UInt64.self)
        base.storeBytes(of: removed.total, toByteOffset: 88, as: UInt64.self)
        base.storeBytes(of: sweepPosition, toByteOffset: 96, as: UInt64.self)
        base.storeBytes(of: sweepDue.index, toByteOffset: 104, as: UInt64.self)
        base.storeBytes(of: sweepDue.total, toByteOffset: 112, as: UInt64.self)
        base.storeBytes(of: sweptUpTo, toByteOffset: 120, as: UInt64.self)
        base.storeBytes(of: swept, toByteOffset: 128, as: UInt64.self)
    }
}
