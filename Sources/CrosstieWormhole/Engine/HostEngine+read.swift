internal import CCrosstie

/// Reading.
extension HostEngine {
    /// The current value of an identifier; nil if there is none.
    func current(_ identifier: Identifier) throws(CrosstieError) -> Message? {
        let topic = try Topic(identifier.bytes)
        var found: Message?
        try EngineListing.run { raw throws(CrosstieError) in
            let given = try EngineStructs.one(raw, as: ctie_engine_message.self)
            let message = try EngineMessage.stored(given, of: topic)
            guard message.kind == .value, found == nil else { throw .ofEngine("showed no current message") }
            found = message
        } _: { listing throws(CrosstieError) in
            try topic.text.withBytes { text throws(CrosstieError) in
                let left = try begin()
                let answer = functions.current?(
                    context, EngineBytes.lend(text), { EngineListing.visit($0, $1) }, listing, left)
                try end("current", answer)
            }
        }
        return found.flatMap { $0.hasExpired ? nil : $0 }
    }

    /// The identifiers with a message, in the order of their bytes.
    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] {
        var found = KeyedItems<String>()
        try EngineListing.run { raw throws(CrosstieError) in
            guard let given = raw?.load(as: ctie_str.self), let bytes = EngineBytes.text(given),
                Identifier(bytes) != nil, topic.covers(bytes)
            else { throw .ofEngine("showed an identifier that is not of the topic") }
            found.add(String(decoding: bytes, as: UTF8.self), under: Array(bytes))
        } _: { listing throws(CrosstieError) in
            try topic.text.withBytes { text throws(CrosstieError) in
                let left = try begin()
                let answer = functions.identifiers?(
                    context, EngineBytes.lend(text),
                    { given, listing in withUnsafePointer(to: given) { EngineListing.visit($0, listing) } }, listing,
                    left)
                try end("identifiers", answer)
            }
        }
        var identifiers: [String] = []
        for identifier in found.sorted where identifier != identifiers.last { identifiers.append(identifier) }
        return identifiers
    }

    /// The messages that wait for their time, in the order of times.
    func scheduled(_ topic: Topic) throws(CrosstieError) -> [Wormhole.Scheduled] {
        var found = KeyedItems<Wormhole.Scheduled>()
        try EngineListing.run { raw throws(CrosstieError) in
            let given = try EngineStructs.one(raw, as: ctie_engine_message.self)
            let message = try EngineMessage.stored(given, of: topic)
            guard given.not_before > 0, message.status == .ok else {
                throw .ofEngine("showed a scheduled message without a time, or an unreadable one")
            }
            let key: [UInt8] = .key(of: given.not_before) + .key(of: given.sequence)
            found.add(Wormhole.Scheduled(message, size: given.value.size, notBefore: given.not_before), under: key)
        } _: { listing throws(CrosstieError) in
            try topic.text.withBytes { text throws(CrosstieError) in
                let left = try begin()
                let answer = functions.scheduled?(
                    context, EngineBytes.lend(text), { EngineListing.visit($0, $1) }, listing, left)
                try end("scheduled", answer)
            }
        }
        return found.sorted
    }

    /// Removes a message that waits. False if there is none of that number.
    func cancel(_ number: UInt64) throws(CrosstieError) -> Bool {
        let left = try begin()
        return try isFound("cancel", functions.cancel?(context, number, left))
    }
}
