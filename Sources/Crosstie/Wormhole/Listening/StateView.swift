/// What a listener is to be told of one state of the store.
struct StateView {
    let meta: StoreMeta
    /// Changes after this one are left for the next round.
    let upTo: UInt64

    /// Adds what is news to a listener. False if the batch was full before everything was looked at; then
    /// `position` tells where to go on.
    func collect(
        _ binding: Binding, from snapshot: borrowing StoreTransaction, position: inout [UInt8], into batch: inout Batch
    ) throws(CrosstieError) -> Bool {
        if binding.topic.isPrefix {
            guard try collectPrefix(binding, from: snapshot, position: &position, into: &batch) else { return false }
        } else {
            try collectOne(binding, from: snapshot, into: &batch)
        }
        binding.isFirstFireDue = false
        binding.heard = max(binding.heard, upTo)
        return true
    }

    private func isNews(_ sequence: UInt64, to binding: Binding) -> Bool {
        sequence > binding.heard && sequence <= upTo
    }

    // MARK: One identifier

    private func collectOne(
        _ binding: Binding, from snapshot: borrowing StoreTransaction, into batch: inout Batch
    ) throws(CrosstieError) {
        var found: [(message: Message, size: Int)] = []
        try binding.topic.text.withBytes { identifier throws(CrosstieError) in
            let stored = try snapshot.get(StoreKey.current, identifier)
            addCurrent(stored, identifier, binding, &found)
            guard meta.lastSignal > binding.heard else { return }
            let signal = try snapshot.get(StoreKey.signal, identifier)
            guard let record = signal.flatMap(StateRecord.init), isNews(record.stamp.sequence, to: binding) else {
                return
            }
            found.append((Message(record, under: identifier), 0))
        }
        if found.count > 1 { found.sort { $0.message.sequence < $1.message.sequence } }
        for item in found { batch.add(binding, item.message, size: item.size) }
    }

    private func addCurrent(
        _ stored: UnsafeRawBufferPointer?, _ identifier: UnsafeRawBufferPointer, _ binding: Binding,
        _ found: inout [(message: Message, size: Int)]
    ) {
        let record = stored.flatMap(StateRecord.init)
        if binding.isFirstFireDue {
            found.append((firstFire(stored, record, identifier), stored?.count ?? 0))
        } else if let record, let stored {
            addDestroyedAll(identifier, binding, &found)
            if isNews(record.stamp.sequence, to: binding) {
                found.append((Message(record, under: identifier), stored.count))
            }
        } else if stored != nil {
            found.append((.unreadable(under: identifier), 0))
        } else {
            addDestroyedAll(identifier, binding, &found)
            addForgotten(identifier, binding, &found)
        }
        if let last = found.last { binding.hasToldValue = last.message.kind == .value }
    }

    private func firstFire(
        _ stored: UnsafeRawBufferPointer?, _ record: StateRecord?, _ identifier: UnsafeRawBufferPointer
    ) -> Message {
        if let record, record.kind == .value { return Message(record, under: identifier) }
        let isUnreadable = stored != nil && record == nil
        return isUnreadable ? .unreadable(under: identifier) : Message(.none, under: identifier)
    }

    private func addDestroyedAll(
        _ identifier: UnsafeRawBufferPointer, _ binding: Binding, _ found: inout [(message: Message, size: Int)]
    ) {
        guard isNews(meta.destroyedAll.sequence, to: binding) else { return }
        found.append((Message(.destroyed, under: identifier, stamp: meta.destroyedAll), 0))
    }

    /// The record that said *destroyed* has been dropped for age: only that it was is known.
    private func addForgotten(
        _ identifier: UnsafeRawBufferPointer, _ binding: Binding, _ found: inout [(message: Message, size: Int)]
    ) {
        guard found.isEmpty, binding.hasToldValue, isNews(meta.forgotten, to: binding) else { return }
        found.append((Message(.destroyed, under: identifier, stamp: Stamp(sequence: meta.forgotten)), 0))
    }
}
