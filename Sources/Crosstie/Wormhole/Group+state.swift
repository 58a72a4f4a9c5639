import Synchronization

/// State delivery: one current record for each identifier.
extension Group {
    /// Stores a message of `size` bytes, which `fill` writes in place.
    @inline(__always)
    func pass(
        _ identifier: Identifier, from sender: Sender, size: Int, timeout: UInt64,
        fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(CrosstieError) -> Receipt {
        let total = StateRecord.size(name: sender.name.count, payload: size)
        return try change(identifier, timeout: timeout, room: total) { transaction throws(CrosstieError) in
            try transaction.put(.value, StoreKey.current, identifier, sender, total, fill)
        }
    }

    /// Notes a signal; the stored message stays.
    func signal(_ identifier: Identifier, from sender: Sender, timeout: UInt64) throws(CrosstieError) -> Receipt {
        let size = StateRecord.size(name: sender.name.count, payload: 0)
        return try change(identifier, timeout: timeout, room: size) { transaction throws(CrosstieError) in
            try transaction.put(.signal, StoreKey.signal, identifier, sender, size) { _ in }
            let sequence = transaction.sequence
            try transaction.edit { $0.lastSignal = sequence }
        }
    }

    /// Removes the message and the signal of an identifier, and leaves a record that says so.
    func destroy(_ identifier: Identifier, from sender: Sender, timeout: UInt64) throws(CrosstieError) -> Receipt {
        let size = StateRecord.size(name: sender.name.count, payload: 0)
        return try change(identifier, timeout: timeout, room: nil) { transaction throws(CrosstieError) in
            try StoreKey.with(StoreKey.signal, identifier.bytes) { key throws(CrosstieError) in
                try transaction.remove(key)
            }
            try transaction.put(.destroyed, StoreKey.current, identifier, sender, size) { _ in }
            try transaction.edit { meta throws(CrosstieError) in try transaction.addTombstone(identifier, &meta) }
        }
    }

    /// Removes everything that stands under identifiers.
    func destroyAll(from sender: Sender, timeout: UInt64) throws(CrosstieError) -> Receipt {
        let everybody = { self.bells.everybody }
        return try change(hash: 0, timeout: timeout, listeners: everybody, room: nil) {
            transaction throws(CrosstieError) in
            var meta = try transaction.meta()
            try transaction.removeEverything()
            meta.destroyedAll = sender.stamp(transaction.sequence)
            meta.tombstones = 0
            try transaction.put(meta)
        }
    }

    @inline(__always)
    private func change(
        _ identifier: Identifier, timeout: UInt64, room: Int?,
        _ body: (borrowing StoreTransaction) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        let listeners = { self.bells.listeners(of: identifier) }
        return try change(hash: identifier.hash, timeout: timeout, listeners: listeners, room: room, body)
    }

    /// How many living processes a change has rung. A process with several wormholes counts once.
    func countProcesses(_ rung: SlotMask) -> UInt32 {
        var pids: Set<Int32> = []
        rung.forEach { slot in
            let isOwn = bells.pid(slot) == pid
            if isOwn || bells.isAlive(slot) { pids.insert(bells.pid(slot)) }
        }
        return UInt32(clamping: pids.count)
    }
}

extension Sender {
    @inline(__always)
    fileprivate func write(
        _ kind: MessageKind, _ sequence: UInt64, into room: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        name.withUnsafeBytes { StateRecord.write(kind, stamp(sequence), name: $0, into: room) }
    }
}

extension StoreTransaction {
    /// Writes the record of `size` bytes under an identifier; `fill` writes its payload in place.
    @inline(__always)
    fileprivate func put(
        _ kind: MessageKind, _ keyType: UInt8, _ identifier: Identifier, _ sender: Sender, _ size: Int,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(CrosstieError) {
        let room = try StoreKey.with(keyType, identifier.bytes) { key throws(CrosstieError) in
            try reserve(key, size: size)
        }
        fill(sender.write(kind, sequence, into: room))
    }

    /// Notes a *destroyed* record, and drops the oldest one when there are too many.
    fileprivate func addTombstone(_ identifier: Identifier, _ meta: inout StoreMeta) throws(CrosstieError) {
        try StoreKey.withTombstone(sequence) { key throws(CrosstieError) in
            try reserve(key, size: identifier.bytes.count).copyMemory(from: identifier.bytes)
        }
        meta.tombstones &+= 1
        if meta.tombstones > StoreMeta.maximumTombstones { try dropOldestTombstone(&meta) }
    }

    private func dropOldestTombstone(_ meta: inout StoreMeta) throws(CrosstieError) {
        var oldest: (sequence: UInt64, identifier: [UInt8])?
        try StoreKey.withTombstone(0) { start throws(CrosstieError) in
            try scan(from: start) { key, identifier throws(CrosstieError) in
                guard key.count == 9, key[0] == StoreKey.tombstone else { return false }
                let sequence = key.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                oldest = (sequence, Array(identifier.prefix(Identifier.maximumSize)))
                return false
            }
        }
        guard let oldest else { return }
        try StoreKey.withTombstone(oldest.sequence) { key throws(CrosstieError) in try remove(key) }
        try removeDestroyed(oldest.identifier, sequence: oldest.sequence)
        meta.tombstones &-= 1
        meta.forgotten = max(meta.forgotten, oldest.sequence)
    }

    /// Removes the *destroyed* record of an identifier, unless something newer stands there.
    private func removeDestroyed(_ identifier: [UInt8], sequence: UInt64) throws(CrosstieError) {
        try identifier.withBytes { bytes throws(CrosstieError) in
            try StoreKey.with(StoreKey.current, bytes) { key throws(CrosstieError) in
                guard let found = try get(key), let record = StateRecord(found),
                    record.kind == .destroyed, record.stamp.sequence == sequence
                else { return }
                try remove(key)
            }
        }
    }
}

extension Array where Element == UInt8 {
    /// `withUnsafeBytes` that lets typed errors through.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let outcome: Swift.Result<Result, CrosstieError> = withUnsafeBytes { bytes in
            do throws(CrosstieError) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
