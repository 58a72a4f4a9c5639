/// Listeners on a prefix are told every identifier below it, in the order of keys.
extension StateFeed {
    func collectPrefix(
        _ view: StateView, from snapshot: borrowing StoreTransaction, position: inout [UInt8], into batch: inout Batch
    ) throws(CrosstieError) -> Bool {
        if position.isEmpty, !isFirstFireDue { addDestroyed(view, into: &batch) }
        if position.first != StoreKey.signal {
            guard try scan(StoreKey.current, view, snapshot, &position, &batch) else { return false }
            position = []
        }
        guard view.meta.lastSignal > heard else { return true }
        return try scan(StoreKey.signal, view, snapshot, &position, &batch)
    }

    /// Looks at the records of one type below the prefix. False if the batch was full.
    private func scan(
        _ type: UInt8, _ view: StateView, _ snapshot: borrowing StoreTransaction, _ position: inout [UInt8],
        _ batch: inout Batch
    ) throws(CrosstieError) -> Bool {
        let stem = topic.stem
        // The name after the one that was looked at last is that name and a zero byte.
        let start = position.isEmpty ? Array(stem) : Array(position.dropFirst()) + [0]
        var last: [UInt8]?
        try snapshot.scan(type, from: start) { identifier, stored throws(CrosstieError) in
            guard identifier.starts(with: stem) else { return .stop }
            add(identifier, stored, view, &batch)
            guard batch.isFull else { return .next }
            last = [type] + identifier
            return .stop
        }
        guard let last else { return true }
        position = last
        return false
    }

    private func add(
        _ identifier: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer, _ view: StateView,
        _ batch: inout Batch
    ) {
        guard let record = StateRecord(stored) else {
            if Identifier(identifier) != nil, isUnreadableNews(identifier) {
                batch.add(.unreadable(under: identifier), size: 0)
            }
            return
        }
        let isFirst = isFirstFireDue && record.kind == .value
        guard record.stamp.sequence <= view.upTo, isFirst || record.stamp.sequence > heard else { return }
        // What stands under a key that is no identifier cannot be told.
        guard Identifier(identifier) != nil else { return }
        batch.add(Message(record, under: identifier), size: stored.count)
    }

    /// What was destroyed without a record of each is told once, under the prefix itself.
    private func addDestroyed(_ view: StateView, into batch: inout Batch) {
        let newest =
            view.meta.destroyedAll.sequence > view.meta.forgotten
            ? view.meta.destroyedAll : Stamp(sequence: view.meta.forgotten)
        guard newest.sequence > heard, newest.sequence <= view.upTo else { return }
        topic.text.withUnsafeBytes { text in
            batch.add(Message(.destroyed, under: text, stamp: newest), size: 0)
        }
    }
}
