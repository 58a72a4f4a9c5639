/// Listeners on a prefix are told every identifier below it, in the order of keys.
extension StateView {
    func collectPrefix(
        _ binding: Binding, from snapshot: borrowing StoreTransaction, position: inout [UInt8], into batch: inout Batch
    ) throws(CrosstieError) -> Bool {
        if position.isEmpty, !binding.isFirstFireDue { addDestroyed(binding, into: &batch) }
        if position.first != StoreKey.signal {
            guard try scan(StoreKey.current, binding, snapshot, &position, &batch) else { return false }
            position = []
        }
        guard meta.lastSignal > binding.heard else { return true }
        return try scan(StoreKey.signal, binding, snapshot, &position, &batch)
    }

    /// Looks at the records of one type below the prefix. False if the batch was full.
    private func scan(
        _ type: UInt8, _ binding: Binding, _ snapshot: borrowing StoreTransaction, _ position: inout [UInt8],
        _ batch: inout Batch
    ) throws(CrosstieError) -> Bool {
        let stem = binding.topic.stem
        // The name after the one that was looked at last is that name and a zero byte.
        let start = position.isEmpty ? Array(stem) : Array(position.dropFirst()) + [0]
        var last: [UInt8]?
        try snapshot.scan(type, from: start) { identifier, stored throws(CrosstieError) in
            guard identifier.starts(with: stem) else { return .stop }
            add(identifier, stored, binding, &batch)
            guard batch.isFull else { return .next }
            last = [type] + identifier
            return .stop
        }
        guard let last else { return true }
        position = last
        return false
    }

    private func add(
        _ identifier: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer, _ binding: Binding,
        _ batch: inout Batch
    ) {
        guard let record = StateRecord(stored) else {
            batch.add(binding, .unreadable(under: identifier), size: 0)
            return
        }
        let isFirst = binding.isFirstFireDue && record.kind == .value
        guard record.stamp.sequence <= upTo, isFirst || record.stamp.sequence > binding.heard else { return }
        batch.add(binding, Message(record, under: identifier), size: stored.count)
    }

    /// What was destroyed without a record of each is told once, under the prefix itself.
    private func addDestroyed(_ binding: Binding, into batch: inout Batch) {
        let newest = meta.destroyedAll.sequence > meta.forgotten ? meta.destroyedAll : Stamp(sequence: meta.forgotten)
        guard newest.sequence > binding.heard, newest.sequence <= upTo else { return }
        binding.topic.text.withUnsafeBytes { text in
            batch.add(binding, Message(.destroyed, under: text, stamp: newest), size: 0)
        }
    }
}
