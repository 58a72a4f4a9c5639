/// The records that depend on all others.
extension StoreMending {
    /// Writes what depends on everything else.
    mutating func finish() throws(CrosstieError) {
        try putWaiting()
        for (name, cursor) in cursors {
            let topic = name.withUnsafeBytes { CursorKey.topic($0)?.text } ?? []
            interests[topic, default: InterestRecord()].durableCount &+= 1
            var bytes = [UInt8](repeating: 0, count: cursor.encodedSize)
            bytes.withUnsafeMutableBytes { cursor.write(into: $0, boot: boot) }
            try put([StoreKey.cursor] + name, bytes, isLast: false)
        }
        for (topic, interest) in interests where !interest.isVoid {
            var bytes = [UInt8](repeating: 0, count: InterestRecord.size)
            bytes.withUnsafeMutableBytes { interest.write(into: $0) }
            try put([StoreKey.interest] + topic, bytes, isLast: false)
        }
        var bytes = [UInt8](repeating: 0, count: StoreMeta.size)
        let meta = mendedMeta()
        bytes.withUnsafeMutableBytes { meta.write(into: $0) }
        try put([StoreKey.meta], bytes, isLast: false)
    }

    mutating func mendedMeta() -> StoreMeta {
        if meta == nil { findings.append(StoreFinding("meta", "", "cannot be read: a new one was made")) }
        var mended = meta ?? StoreMeta()
        // The state that is written is that of the number; the newest sequence must not go back.
        let stated = meta.map { $0.sequence(ofState: number) } ?? 0
        if stated < newest || stated >= 1 << 62 { mended.offset = newest &- (number &- 1) }
        newest = max(newest, stated < 1 << 62 ? stated : 0)
        mended.tombstones = tombstones
        mended.lastSignal = min(mended.lastSignal, newest)
        mended.forgotten = min(mended.forgotten, newest)
        if mended.destroyedAll.sequence > newest { mended.destroyedAll = Stamp() }
        mended.counted = min(mended.counted, newest)
        mended.dropped = min(mended.dropped, newest)
        mended.purged = min(mended.purged, newest)
        mended.sweepPosition = 0
        mended.sweptUpTo = 0
        mended.swept = 0
        mended.sweepDue = LogTail()
        if hasLog { mended.removed = LogTail(index: tail.index &- log.index, total: tail.total &- log.total) }
        return mended
    }
}
