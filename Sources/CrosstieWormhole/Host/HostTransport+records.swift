internal import CCrosstie

/// The records: reading and committing. Each function gets what is left until a deadline.
extension HostTransport {
    func version(until deadline: UInt64) throws(CrosstieError) -> UInt64 {
        var version: UInt64 = 0
        let left = try left(until: deadline)
        try call("version") { functions.version?(context, &version, left) }
        return version
    }

    /// Fills a batch with the records from a key on.
    func scan(
        from key: UnsafeRawBufferPointer, into batch: inout HostBatch, until deadline: UInt64
    ) throws(CrosstieError) {
        let isBackward = batch.isBackward
        let left = try left(until: deadline)
        try withUnsafeMutablePointer(to: &batch) { batch in
            Result { () throws(CrosstieError) in
                try call("scan") {
                    functions.scan?(context, ctie_bytes(key), isBackward, HostTransport.visit, batch, left)
                }
            }
        }.get()
        if let fault = batch.fault { throw fault }
    }

    private static let visit: ctie_transport_visit_fn = { key, record, context in
        guard let batch = context?.assumingMemoryBound(to: HostBatch.self) else { return false }
        return batch.pointee.add(HostTransport.bytes(key), HostTransport.bytes(record))
    }

    /// The records under some keys, as far as there are any. The transport has `get`.
    func get(_ keys: [[UInt8]], until deadline: UInt64) throws(CrosstieError) -> [MemoryRecord] {
        var answers = HostAnswers(keys)
        let left = try left(until: deadline)
        let outcome = HostTransport.lend(keys) { lent in
            withUnsafeMutablePointer(to: &answers) { answers in
                Result { () throws(CrosstieError) in
                    try call("get") {
                        lent.baseAddress.flatMap {
                            functions.get?(context, $0, lent.count, HostTransport.answer, answers, left)
                        }
                    }
                }
            }
        }
        try outcome.get()
        if let fault = answers.fault { throw fault }
        return answers.records
    }

    private static let answer: ctie_transport_visit_fn = { key, record, context in
        guard let answers = context?.assumingMemoryBound(to: HostAnswers.self) else { return false }
        return answers.pointee.add(HostTransport.bytes(key), HostTransport.bytes(record))
    }

    /// Calls `body` with the keys as C has them.
    private static func lend<Result>(
        _ keys: [[UInt8]], _ body: (UnsafeBufferPointer<ctie_bytes>) -> Result
    ) -> Result {
        keys.flatMap { $0 }.withUnsafeBytes { all in
            var position = 0
            let lent = keys.map { key in
                defer { position += key.count }
                return ctie_bytes(UnsafeRawBufferPointer(rebasing: all[position..<position + key.count]))
            }
            return lent.withUnsafeBufferPointer(body)
        }
    }

    /// The record under a key, whatever the version; nil if there is none.
    func record(_ key: [UInt8], until deadline: UInt64) throws(CrosstieError) -> MemoryRecord? {
        if canGet { return try get([key], until: deadline).first }
        return try key.withBytes { key throws(CrosstieError) in
            var batch = HostBatch(from: key, maximumCount: 1)
            try scan(from: key, into: &batch, until: deadline)
            return batch.records.first.flatMap { KeyOrder.compare($0.key, key) == 0 ? $0 : nil }
        }
    }

    /// Gives the transport's error; nil for a commit that was made. *conflict*: the newest commit is not `version`.
    func commit(
        _ changes: [HostChange], after version: UInt64, _ token: StepToken, milliseconds: Int64
    ) -> CrosstieError? {
        let raw = changes.map { ctie_transport_change(key: ctie_bytes($0.key), record: ctie_bytes($0.record)) }
        var number = version &+ 1
        let outcome = token.withBytes { token in
            raw.withUnsafeBufferPointer { raw in
                Result { () throws(CrosstieError) in
                    try call("commit") {
                        // There are addresses also when there are no changes.
                        guard let first = raw.baseAddress, let token = token.baseAddress else { return nil }
                        return functions.commit?(
                            context, version, token.assumingMemoryBound(to: UInt8.self), first, raw.count, &number,
                            milliseconds)
                    }
                }
            }
        }
        guard case .success = outcome else {
            if case .failure(let failure) = outcome { return failure }
            return nil
        }
        // The token is new, so no other commit can have had it.
        guard number == version &+ 1 else {
            return CrosstieError(.systemFailure, "the transport made commit \(version &+ 1) as number \(number)")
        }
        return nil
    }

    private static func bytes(_ given: ctie_bytes) -> UnsafeRawBufferPointer? {
        guard given.size <= HostBatch.maximumRecordSize, given.data != nil || given.size == 0 else { return nil }
        return UnsafeRawBufferPointer(start: given.data, count: given.size)
    }
}

extension ctie_bytes {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) { self.init(data: bytes.baseAddress, size: bytes.count) }
}
