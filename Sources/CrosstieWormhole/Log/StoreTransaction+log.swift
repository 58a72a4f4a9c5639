/// The log: queued messages, in the order of sequence numbers, for all listeners that need every message.
///
/// The group has one log, and not one for each identifier: so a listener on a prefix gets the true order, appending is
/// done at the end of the key space, and a durable consumer needs one number only. A reader skips the messages of
/// others.
extension StoreTransaction {
    /// The counts of the last block that can be read, or of the last one that was, when the log is empty.
    func logTail() throws(CrosstieError) -> LogTail {
        guard let last = try records.last(), last.key.first == StoreKey.log else { return try meta().removed }
        guard let sequence = StoreKey.sequence(last.key), let block = LogBlock(last.record, sequence: sequence) else {
            return try readableTail()
        }
        return block.tail
    }

    private func readableTail() throws(CrosstieError) -> LogTail {
        var tail = try meta().removed
        try scanBlocks(after: 0) { _, block in
            if let block { tail = block.tail }
            return .next
        }
        return tail
    }

    /// Appends changes to the log as one block; their numbers follow each other, and the last one is the newest of all.
    ///
    /// - Parameters:
    ///   - stamp: of the last one.
    ///   - size: of the block.
    ///   - tail: the log's counts with it.
    func append(
        _ changes: Slice<UnsafeBufferPointer<Change>>, _ stamp: Stamp, name: [UInt8], size: Int, _ tail: LogTail
    ) throws(CrosstieError) {
        let room = try StoreKey.with(StoreKey.log, sequence: stamp.sequence) { key throws(CrosstieError) in
            try records.reserve(key, size: size, isLast: true)
        }
        var rest = name.withUnsafeBytes { name in
            LogBlock.write(count: changes.count, stamp, tail, name: name, into: room)
        }
        for index in changes.startIndex..<changes.endIndex {
            rest = LogRecord.write(changes[index], back: changes.endIndex &- 1 &- index, into: rest)
        }
    }

    /// Shows `body` the queued messages after a number, in the order of their numbers; nil in place of what cannot be
    /// read.
    func scanLog(
        after sequence: UInt64, _ body: (UInt64, LogRecord?) throws(CrosstieError) -> LogStep
    ) throws(CrosstieError) {
        // A damaged block may claim numbers that are in an earlier one.
        var reached = sequence
        try scanBlocks(after: sequence) { last, block throws(CrosstieError) in
            let step = if let block { try block.forEach(after: reached, body) } else { try body(last, nil) }
            reached = last
            return step == .stop ? .stop : .next
        }
    }

    /// Shows `body` the blocks that hold messages after a number; nil for one that cannot be read. With each comes the
    /// number of its last message.
    func scanBlocks(
        after sequence: UInt64, _ body: (UInt64, LogBlock?) throws(CrosstieError) -> ScanStep
    ) throws(CrosstieError) {
        guard sequence < .max else { return }
        try StoreKey.with(StoreKey.log, sequence: sequence + 1) { start throws(CrosstieError) in
            try records.scan(from: start) { key, bytes throws(CrosstieError) in
                guard let last = StoreKey.sequence(key) else { return .next }
                return try body(last, LogBlock(bytes, sequence: last))
            }
        }
    }

    /// Replaces the bytes of a block. No other thread looks at it meanwhile.
    func replaceBlock(_ sequence: UInt64, _ bytes: [UInt8]) throws(CrosstieError) {
        try StoreKey.with(StoreKey.log, sequence: sequence) { key throws(CrosstieError) in
            try records.reserve(key, size: bytes.count, isLast: false).copyBytes(from: bytes)
        }
    }
}

extension Topic {
    /// Whether a queued record concerns a listener on this topic.
    @inline(__always)
    func covers(_ record: LogRecord) -> Bool {
        record.identifier.isEmpty || covers(record.identifier)
    }

    @inline(__always)
    func covers(_ identifier: UnsafeRawBufferPointer) -> Bool {
        text.withUnsafeBytes { text in
            guard isPrefix else { return equalBytes(identifier, text) }
            let stem = UnsafeRawBufferPointer(rebasing: text.dropLast())
            return identifier.count > stem.count
                && equalBytes(UnsafeRawBufferPointer(rebasing: identifier.prefix(stem.count)), stem)
        }
    }
}
