/// A transaction on a host's transport. Its writes are collected, and committed in one step at the end.
final class HostTransaction: RecordTransaction {
    private let transport: HostTransport
    /// The newest commit when it began.
    private let version: UInt64
    private let deadline: UInt64
    /// Nil when it only reads.
    private let steps: HostSteps?
    /// The message that the host has given a token, with its number.
    var message: SentTokens.Sent?
    /// The changes; a removal is a record that says so.
    private var changes = RecordMap()
    /// Whether what the transport has is to be removed before that.
    private var isCleared = false
    /// The result of ``get(_:)``.
    private var lent: [MemoryRecord] = []
    /// The records that it has fetched one by one, if the transport gives those.
    private var loads = HostLoads()

    init(_ transport: HostTransport, version: UInt64, deadline: UInt64, steps: HostSteps? = nil) {
        self.transport = transport
        self.version = version
        self.deadline = deadline
        self.steps = steps
    }

    var number: UInt64 { steps == nil ? version : version &+ 1 }

    // MARK: Reading

    func get(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        if let own = changes.record(key) { return own.isRemoval ? nil : own.bytes }
        guard !isCleared, let found = try stored(key) else { return nil }
        lent.append(found)
        return found.bytes
    }

    private func stored(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> MemoryRecord? {
        guard transport.canGet else {
            let found = try load(from: key, count: 1).first
            return found.flatMap { KeyOrder.compare($0.key, key) == 0 ? $0 : nil }
        }
        let own = Array(key)
        if let known = loads.record(own) { return known }
        let keys = loads.keys(with: own, transport.isReplicated ? [] : steps?.usualKeys ?? [])
        loads.take(try transport.get(keys, until: deadline), of: keys)
        try requireSameVersion()
        return loads.record(own) ?? nil
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
        try transport.scan(from: key, into: &batch, until: deadline)
        try requireSameVersion()
        return batch.records
    }

    private func requireSameVersion() throws(CrosstieError) {
        guard try transport.version(until: deadline) == version else { throw .changedMeanwhile }
    }

    /// Decides on the steps of this member that were given up.
    func resolveOpenSteps() throws(CrosstieError) {
        guard let steps, !steps.open.isEmpty, let key = steps.key else { return }
        let record = try key.withBytes { key throws(CrosstieError) in try get(key) }
        let stored = record.flatMap { StepToken(record: $0) }
        guard record == nil || stored != nil else {
            throw CrosstieError(.corruptData, "the record of the newest step is damaged")
        }
        steps.resolve(version: version, stored: stored)
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
        guard let steps else { return }
        if transport.canGet { steps.usualKeys = loads.usual }
        let token = StepToken()
        if let key = steps.key { try put(token.encoded, under: key) }
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        var list = isCleared ? [HostChange(key: nothing, record: nothing)] : []
        changes.forEach { list.append(HostChange(key: $0.key, record: $0.isRemoval ? nothing : $0.bytes)) }
        try transport.requireRoom(for: list)
        var commit = HostCommit(transport, steps, token, version: version, deadline: deadline, message: message)
        try commit.run(list)
    }

    private func put(_ bytes: [UInt8], under key: [UInt8]) throws(CrosstieError) {
        try key.withBytes { key throws(CrosstieError) in
            try reserve(key, size: bytes.count, isLast: false).copyBytes(from: bytes)
        }
    }

    func end() {}
}
