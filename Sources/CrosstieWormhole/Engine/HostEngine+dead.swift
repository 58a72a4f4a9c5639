internal import CCrosstie

/// Dead letters.
extension HostEngine {
    /// Calls `take` with dead letters after a number, in the order of their numbers.
    func deadLetters(
        of key: CursorKey, after: UInt64, limit: Int, hasValues: Bool,
        _ take: @escaping (Wormhole.DeadLetter, Message) -> Void
    ) throws(CrosstieError) {
        var (last, left) = (after, limit)
        try EngineListing.run { raw throws(CrosstieError) in
            let given = try EngineStructs.one(raw, as: ctie_engine_dead_letter.self)
            let stored = try EngineStructs.one(given.message, as: ctie_engine_message.self)
            let message = try EngineMessage.dead(stored, of: key.topic)
            guard left > 0, message.sequence > last else { throw .ofEngine("showed a dead letter out of its order") }
            (last, left) = (message.sequence, left - 1)
            take(try Wormhole.DeadLetter(given, message, isOfAll: stored.identifier.size == 0), message)
        } _: { listing throws(CrosstieError) in
            try lend(key) { topic, name throws(CrosstieError) in
                let call = try begin()
                let answer = functions.dead_letters?(
                    context, topic, name, after, limit, hasValues ? 1 : 0, { EngineListing.visit($0, $1) }, listing,
                    call)
                try end("dead_letters", answer)
            }
        }
    }

    /// - Parameter count: how many they were, also after an error.
    func endDeadLetters(
        _ action: DeadLetterAction, _ sequence: UInt64, of key: CursorKey, count: inout UInt64
    ) throws(CrosstieError) {
        var ended: UInt64 = 0
        defer { count = ended }
        try lend(key) { topic, name throws(CrosstieError) in
            let left = try begin()
            let action = UInt32(action == .retry ? CTIE_ENGINE_RETRY : CTIE_ENGINE_DROP)
            let answer = functions.end_dead_letters?(context, topic, name, sequence, action, &ended, left)
            try end("end_dead_letters", answer)
        }
    }
}

extension Wormhole.DeadLetter {
    /// One that an engine shows.
    /// - Throws: *corruptData* for one that cannot be.
    fileprivate init(
        _ given: ctie_engine_dead_letter, _ message: Message, isOfAll: Bool
    ) throws(CrosstieError) {
        guard let reason = EngineBytes.string(given.reason, limit: DeadLetterRecord.maximumReasonSize) else {
            throw .ofEngine("showed a dead letter with an impossible reason")
        }
        self.init(
            DeadLetterRecord(
                sequence: message.sequence, deliveries: given.deliveries, time: given.dead, sentAs: given.sent_as,
                reason: Array(reason.utf8)))
        kind = message.kind
        identifier = isOfAll ? "" : String(decoding: message.identifierBytes, as: UTF8.self)
        size = Int(clamping: given.value_size)
        time = message.time
        senderPID = message.senderPID
        senderName = String(decoding: message.senderNameBytes, as: UTF8.self)
    }
}
