/// The group's counts, one record of the store. Sending a single message changes none of them.
struct StoreMeta {
    /// The difference between a sequence number and the number of its transaction: batches raise it, transactions
    /// without a message lower it. Wraps.
    var offset: UInt64 = 0
    /// The last signal's number: listeners that have received it need not look for signals.
    var lastSignal: UInt64 = 0
    /// When everything was last destroyed.
    var destroyedAll = Stamp()
    /// The newest *destroyed* record that was dropped for age.
    var forgotten: UInt64 = 0
    /// The newest queued message that was dropped although a consumer needed it. No message before it is left.
    var dropped: UInt64 = 0
    /// The number up to which messages have been destroyed that were queued. Others before it may be left.
    var purged: UInt64 = 0
    /// The number up to which the interests have counted the queued messages. See ``LogCounts``.
    var counted: UInt64 = 0
    /// The messages removed from the log, by the counts of its end: the difference is the size of the log. When the log
    /// is empty, the counts of the next block continue from here.
    var removed = LogTail()
    /// Up to where a sweep of the log has come; 0 while there is none. See ``LogTrimmer``.
    var sweepPosition: UInt64 = 0
    /// The newest number at the begin of the last sweep, and the fingerprint of the consumers' needs up to it then: see
    /// ``TrimView/fingerprint(upTo:dropped:)``.
    var sweptUpTo: UInt64 = 0
    var swept: UInt64 = 0
    /// The counts of the log's end at which the next sweep begins.
    var sweepDue = LogTail()
    /// The number of *destroyed* records.
    var tombstones: UInt32 = 0

    /// The fields of the record.
    enum Layout {
        static var format: RecordField<UInt32> { RecordField(0) }
        static var tombstones: RecordField<UInt32> { RecordField(4) }
        static var lastSignal: RecordField<UInt64> { RecordField(8) }
        static var destroyedSequence: RecordField<UInt64> { RecordField(16) }
        static var destroyedTime: RecordField<Int64> { RecordField(24) }
        static var destroyedPID: RecordField<Int32> { RecordField(32) }
        static var reserved: RecordField<UInt32> { RecordField(36) }
        static var forgotten: RecordField<UInt64> { RecordField(40) }
        static var offset: RecordField<UInt64> { RecordField(48) }
        static var dropped: RecordField<UInt64> { RecordField(56) }
        static var counted: RecordField<UInt64> { RecordField(64) }
        static var purged: RecordField<UInt64> { RecordField(72) }
        static var removedIndex: RecordField<UInt64> { RecordField(80) }
        static var removedTotal: RecordField<UInt64> { RecordField(88) }
        static var sweepPosition: RecordField<UInt64> { RecordField(96) }
        static var sweepDueIndex: RecordField<UInt64> { RecordField(104) }
        static var sweepDueTotal: RecordField<UInt64> { RecordField(112) }
        static var sweptUpTo: RecordField<UInt64> { RecordField(120) }
        static var swept: RecordField<UInt64> { RecordField(128) }
        static var size: Int { 136 }
    }

    static var format: UInt32 { 3 }
    static var size: Int { Layout.size }
    /// Destroyed records kept for slow listeners.
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
        let format = bytes.count >= 4 ? bytes[Layout.format] : 0
        guard format == 0 || format == StoreMeta.format else {
            throw CrosstieError(
                .incompatibleVersion, "the store has format \(format), and this library reads \(StoreMeta.format)")
        }
        guard format > 0, bytes.count >= StoreMeta.size else {
            throw CrosstieError(.corruptData, "the store's counts are damaged")
        }
        tombstones = bytes[Layout.tombstones]
        lastSignal = bytes[Layout.lastSignal]
        destroyedAll.sequence = bytes[Layout.destroyedSequence]
        destroyedAll.time = bytes[Layout.destroyedTime]
        destroyedAll.pid = bytes[Layout.destroyedPID]
        forgotten = bytes[Layout.forgotten]
        offset = bytes[Layout.offset]
        dropped = bytes[Layout.dropped]
        counted = bytes[Layout.counted]
        purged = bytes[Layout.purged]
        removed.index = bytes[Layout.removedIndex]
        removed.total = bytes[Layout.removedTotal]
        sweepPosition = bytes[Layout.sweepPosition]
        sweepDue.index = bytes[Layout.sweepDueIndex]
        sweepDue.total = bytes[Layout.sweepDueTotal]
        sweptUpTo = bytes[Layout.sweptUpTo]
        swept = bytes[Layout.swept]
    }

    @inline(__always)
    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= StoreMeta.size else { return }
        base[Layout.format] = StoreMeta.format
        base[Layout.tombstones] = tombstones
        base[Layout.lastSignal] = lastSignal
        base[Layout.destroyedSequence] = destroyedAll.sequence
        base[Layout.destroyedTime] = destroyedAll.time
        base[Layout.destroyedPID] = destroyedAll.pid
        base[Layout.reserved] = 0
        base[Layout.forgotten] = forgotten
        base[Layout.offset] = offset
        base[Layout.dropped] = dropped
        base[Layout.counted] = counted
        base[Layout.purged] = purged
        base[Layout.removedIndex] = removed.index
        base[Layout.removedTotal] = removed.total
        base[Layout.sweepPosition] = sweepPosition
        base[Layout.sweepDueIndex] = sweepDue.index
        base[Layout.sweepDueTotal] = sweepDue.total
        base[Layout.sweptUpTo] = sweptUpTo
        base[Layout.swept] = swept
    }
}
