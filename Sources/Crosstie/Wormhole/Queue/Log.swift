/// The log: what is queued, in the order of sequence numbers, for whoever wants every message.
///
/// There is one for the group, and not one for each identifier: so a listener on a prefix gets the true order,
/// appending goes to the end of the key space, and a durable name needs one number only. Who reads skips what is not
/// its own.
extension StoreTransaction {
    /// The counts of the last record.
    func logTail() throws(CrosstieError) -> LogTail {
        guard let last = try records.last(), last.key.first == StoreKey.log, let sequence = StoreKey.sequence(last.key),
            let record = LogRecord(last.record, sequence: sequence)
        else { return LogTail() }
        return LogTail(index: record.index, total: record.total)
    }

    /// The same, unless it is known already.
    @inline(__always)
    func logTail(unless known: LogTail?) throws(CrosstieError) -> LogTail {
        if let known { return known }
        return try logTail()
    }

    /// Appends a change whose number is the newest. `tail` is what the last record says, and then what this one does.
    func append(
        _ change: Change, _ stamp: Stamp, name: [UInt8], after tail: inout LogTail
    ) throws(CrosstieError) {
        let size = LogRecord.size(
            identifier: change.identifier?.bytes.count ?? 0, name: name.count, payload: change.size)
        tail.index &+= 1
        tail.total &+= UInt64(size)
        let room = try StoreKey.with(StoreKey.log, sequence: stamp.sequence) { key throws(CrosstieError) in
            try records.reserve(key, size: size, isLast: true)
        }
        let rest = name.withUnsafeBytes { LogRecord.write(change, stamp, tail, name: $0, into: room) }
        change.encode(into: rest)
    }

    /// Shows `body` the queued records after a number; nil for one that cannot be read.
    func scanLog(
        after sequence: UInt64, _ body: (UInt64, LogRecord?) throws(CrosstieError) -> ScanStep
    ) throws(CrosstieError) {
        guard sequence < .max else { return }
        try StoreKey.with(StoreKey.log, sequence: sequence + 1) { start throws(CrosstieError) in
            try records.scan(from: start) { key, bytes throws(CrosstieError) in
                guard let sequence = StoreKey.sequence(key) else { return .next }
                return try body(sequence, LogRecord(bytes, sequence: sequence))
            }
        }
    }

    /// Removes what is queued of an identifier. Gives how much that was.
    func purgeLog(_ identifier: Identifier) throws(CrosstieError) -> Int {
        var count = 0
        try scanLog(after: 0) { _, record in
            guard let record else { return .remove }
            guard record.identifier.elementsEqual(identifier.bytes) else { return .next }
            count += 1
            return .remove
        }
        return count
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
            let size = isPrefix ? text.count &- 1 : text.count
            guard isPrefix ? identifier.count > size : identifier.count == size else { return false }
            for position in 0..<size where identifier[position] != text[position] { return false }
            return true
        }
    }
}
