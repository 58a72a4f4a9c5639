/// A record of the log: the messages that one step has queued, or a part of them that fits well into a page. A header
/// of 32 bytes, the sender's name, then the messages, in their order. Its key bears the number of the last one.
struct LogBlock {
    /// The number of the last message.
    let sequence: UInt64
    let pid: Int32
    let time: Int64
    /// The log's counts with this block at its end.
    let tail: LogTail
    /// The number of messages in it.
    let count: Int
    let name: UnsafeRawBufferPointer
    /// Its bytes.
    let size: Int
    /// The messages.
    let entries: UnsafeRawBufferPointer

    /// The fields of the header.
    enum Layout {
        static var format: RecordField<UInt8> { RecordField(0) }
        static var nameSize: RecordField<UInt8> { RecordField(1) }
        static var count: RecordField<UInt16> { RecordField(2) }
        static var pid: RecordField<Int32> { RecordField(4) }
        static var time: RecordField<Int64> { RecordField(8) }
        static var index: RecordField<UInt64> { RecordField(16) }
        static var total: RecordField<UInt64> { RecordField(24) }
        static var size: Int { 32 }
    }

    static var format: UInt8 { 1 }
    static var headerSize: Int { Layout.size }
    /// Blocks of several messages are no larger, so that two fit into one of LMDB's pages of 4,096 bytes.
    static var largestSize: Int { 2000 }

    /// Approximately its size in a leaf of the store's tree: a large one is in pages of its own.
    var sizeInPage: Int { size > LogBlock.largestSize ? 24 : size }

    /// The size of a block without its messages.
    static func size(name: Int) -> Int { headerSize + min(name, Wakeups.maximumNameSize) }

    /// Reads a block, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer, sequence: UInt64) {
        guard bytes.count >= LogBlock.headerSize, bytes[Layout.format] == LogBlock.format else { return nil }
        let nameEnd = LogBlock.headerSize + Int(bytes[Layout.nameSize])
        count = Int(bytes[Layout.count])
        guard Int(bytes[Layout.nameSize]) <= Wakeups.maximumNameSize, nameEnd <= bytes.count, count > 0 else {
            return nil
        }
        self.sequence = sequence
        size = bytes.count
        pid = bytes[Layout.pid]
        time = bytes[Layout.time]
        tail = LogTail(index: bytes[Layout.index], total: bytes[Layout.total])
        name = UnsafeRawBufferPointer(rebasing: bytes[LogBlock.headerSize..<nameEnd])
        entries = UnsafeRawBufferPointer(rebasing: bytes[nameEnd...])
    }

    /// Writes header and name. Returns the room for the messages.
    static func write(
        count: Int, _ stamp: Stamp, _ tail: LogTail, name: UnsafeRawBufferPointer,
        into room: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        let nameSize = min(name.count, Wakeups.maximumNameSize)
        guard let base = room.baseAddress, room.count >= headerSize + nameSize else { return room }
        base[Layout.format] = format
        base[Layout.nameSize] = UInt8(truncatingIfNeeded: nameSize)
        base[Layout.count] = UInt16(truncatingIfNeeded: count)
        base[Layout.pid] = stamp.pid
        base[Layout.time] = stamp.time
        base[Layout.index] = tail.index
        base[Layout.total] = tail.total
        if let source = name.baseAddress { (base + headerSize).copyMemory(from: source, byteCount: nameSize) }
        return UnsafeMutableRawBufferPointer(rebasing: room[(headerSize + nameSize)...])
    }

    /// Shows `body` the messages after a number, in their order; nil in place of those that cannot be read. Gives the
    /// last step.
    @inline(__always)
    func forEach(
        after number: UInt64 = 0, _ body: (UInt64, LogRecord?) throws(CrosstieError) -> LogStep
    ) throws(CrosstieError) -> LogStep {
        var reader = LogBlockReader(self)
        while let record = reader.next() {
            guard record.stamp.sequence > number else { continue }
            if try body(record.stamp.sequence, record) == .stop { return .stop }
        }
        return reader.isDamaged ? try body(sequence, nil) : .next
    }

    /// The block's bytes with some of its messages only; nil if none or all are left. Returns the number of removed
    /// ones.
    /// - Parameter mends: whether unreadable messages are removed even if no others are.
    func keeping(
        mends: Bool = false, where keeps: (LogRecord) throws(CrosstieError) -> Bool
    ) throws(CrosstieError) -> (bytes: [UInt8]?, removed: Int) {
        var kept: [UInt8] = []
        var (keptCount, removed) = (0, 0)
        var reader = LogBlockReader(self)
        var start = reader.position
        while let record = reader.next() {
            if try keeps(record) {
                keptCount += 1
                if removed > 0 { kept += entries[start..<reader.position] }
            } else {
                // Most blocks are kept as they are, and not copied.
                if removed == 0 { kept = Array(entries[..<start]) }
                removed += 1
            }
            start = reader.position
        }
        if mends, removed == 0, reader.isDamaged { (kept, removed) = (Array(entries[..<start]), 1) }
        guard removed > 0 else { return (nil, 0) }
        // Unreadable ones go with them.
        removed = count - keptCount
        guard keptCount > 0 else { return (nil, removed) }
        var bytes = [UInt8](repeating: 0, count: LogBlock.size(name: name.count))
        bytes.withUnsafeMutableBytes { room in
            let stamp = Stamp(sequence: sequence, time: time, pid: pid)
            _ = LogBlock.write(count: keptCount, stamp, tail, name: name, into: room)
        }
        return (bytes + kept, removed)
    }
}
