/// A transaction on a host's transport. Its writes are collected, and committed in one step at the end.
final class HostTransaction: RecordTransaction {
    private let transport: HostTransport
    /// The newest commit when it began.
    private let version: UInt64
    private let isWriting: Bool
    /// The changes; a removal is a record that says so.
    private var changes = RecordMap()
    /// Whether what the transport has is to be removed before that.
    private var isCleared = false
    /// The result of ``get(_:)``.
    private var lent: [MemoryRecord] = []

    init(_ transport: HostTransport, version: UInt64, isWriting: Bool) {
        self.transport = transport
        self.version = version
        self.isWriting = isWriting
    }

    var number: UInt64 { isWriting ? version &+ 1 : version }

    // MARK: Reading

    func get(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        if let own = changes.record(key) { return own.isRemoval ? nil : own.bytes }
        guard !isCleared, let found = try load(from: key, count: 1).first, KeyOrder.compare(found.key, key) == 0 else {
            return nil
        }
        lent.append(found)
        return found.bytes
    }

    func scan(from start: UnsafeRawBufferPointer, _ body: Scan) throws(CrosstieError) {
        var feed = HostFeed(isAtEnd: isCleared)
        var bound = Array(start)
        while let record = try next(&feed, from: &bound) {
            switch try body(record.key, record.bytes) {
            case .next: break
            case .remove: try remove(record.key)
            case .stop: return
            }
        }
    }

    /// The first record at or after `bound`, which is moved behind it.
    private func next(_ feed: inout HostFeed, from bound: inout [UInt8]) throws(CrosstieError) -> MemoryRecord? {
        while true {
            let own = bound.withUnsafeBytes { changes.record(at: changes.position(notBefore: $0)) }
            let theirs = try first(of: &feed, notBefore: bound)
            let isOwn = own.map { own in theirs.map { KeyOrder.compare(own.key, $0.key) <= 0 } ?? true } ?? false
            guard let found = isOwn ? own : theirs else { return nil }
            bound = Array(found.key) + [0]
            if !found.isRemoval { return found }
        }
    }

    private func first(of feed: inout HostFeed, notBefore bound: [UInt8]) throws(CrosstieError) -> MemoryRecord? {
        while true {
            if let found = bound.withUnsafeBytes({ feed.first(notBefore: $0) }) { return found }
            if feed.isAtEnd || isCleared { return nil }
            let count = feed.nextCount
            feed.take(try bound.withBytes { bound throws(CrosstieError) in try load(from: bound, count: count) })
        }
    }

    func last() throws(CrosstieError) -> (key: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer)? {
        let own = changes.last(where: { !$0.isRemoval })
        let theirs = isCleared ? nil : try lastOfTransport()
        guard let found = [own, theirs].compactMap({ $0 }).max(by: { KeyOrder.isBefore($0.key, $1.key) }) else {
            return nil
        }
        lent.append(found)
        return (found.key, found.bytes)
    }

    /// The last record of the transport that is not removed.
    private func lastOfTransport() throws(CrosstieError) -> MemoryRecord? {
        var bound = [UInt8](repeating: 0xFF, count: HostBatch.maximumKeySize)
        while true {
            let found = try bound.withBytes { bound throws(CrosstieError) in
                try load(from: bound, count: 64, isBackward: true)
            }
            if let kept = found.first(where: { changes.record($0.key)?.isRemoval != true }) { return kept }
            // Twice: the last one that was seen, and nothing before it.
            guard found.count > 1, let lowest = found.last else { return nil }
            bound = Array(lowest.key)
        }
    }

    private func load(
        from key: UnsafeRawBufferPointer, count: Int, isBackward: Bool = false
    ) throws(CrosstieError) -> [MemoryRecord] {
        var batch = HostBatch(from: key, isBackward: isBackward, maximumCount: count)
        try transport.scan(from: key, into: &batch)
        guard try transport.version() == version else {
            throw CrosstieError(.conflict, "the records have been changed meanwhile")
        }
        return batch.records
    }

    // MARK: Writing

    func reserve(
        _ key: UnsafeRawBufferPointer, size: Int, isLast: Bool
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer {
        let record = try MemoryRecord(key, size: size)
        changes.put(record)
        return record.room
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CrosstieError) {
        if isCleared { changes.remove(key) } else { changes.put(try MemoryRecord(key, size: 0, isRemoval: true)) }
    }

    func removeEverything() throws(CrosstieError) {
        changes = RecordMap()
        isCleared = true
    }

    func commit() throws(CrosstieError) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        var list = isCleared ? [HostChange(key: nothing, record: nothing)] : []
        changes.forEach { list.append(HostChange(key: $0.key, record: $0.isRemoval ? nothing : $0.bytes)) }
        try transport.commit(list, after: version)
    }

    func end() {}
}
