/// Notes of *destroyed* records, by which the oldest are found when there are too many.
extension StoreTransaction {
    /// Notes a *destroyed* record, and drops the oldest one when there are too many.
    func addTombstone(_ identifier: Identifier, _ sequence: UInt64) throws(CrosstieError) {
        var meta = try meta()
        try StoreKey.with(StoreKey.tombstone, sequence: sequence) { key throws(CrosstieError) in
            try records.reserve(key, size: identifier.bytes.count, isLast: false).copyMemory(from: identifier.bytes)
        }
        meta.tombstones &+= 1
        if meta.tombstones > StoreMeta.maximumTombstones { try dropOldestTombstone(&meta) }
        try put(meta)
    }

    private func dropOldestTombstone(_ meta: inout StoreMeta) throws(CrosstieError) {
        var oldest: (sequence: UInt64, identifier: [UInt8])?
        try scan(StoreKey.tombstone) { name, identifier throws(CrosstieError) in
            guard name.count == 8 else { return .remove }
            let sequence = UInt64(bigEndian: name.loadUnaligned(as: UInt64.self))
            oldest = (sequence, Array(identifier.prefix(Identifier.maximumSize)))
            return .stop
        }
        guard let oldest else { return }
        try StoreKey.with(StoreKey.tombstone, sequence: oldest.sequence) { key throws(CrosstieError) in
            try records.remove(key)
        }
        try removeDestroyed(oldest.identifier, sequence: oldest.sequence)
        meta.tombstones &-= 1
        meta.forgotten = max(meta.forgotten, oldest.sequence)
    }

    /// Removes the *destroyed* record of an identifier, unless the identifier has a newer one.
    private func removeDestroyed(_ identifier: [UInt8], sequence: UInt64) throws(CrosstieError) {
        try identifier.withBytes { identifier throws(CrosstieError) in
            guard let record = try get(StoreKey.current, identifier).flatMap(StateRecord.init),
                record.kind == .destroyed, record.stamp.sequence == sequence
            else { return }
            try remove(StoreKey.current, identifier)
        }
    }
}
