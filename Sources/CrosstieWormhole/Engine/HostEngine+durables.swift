internal import CCrosstie

/// Durable consumers.
extension HostEngine {
    /// In the order of names.
    func durables() throws(CrosstieError) -> [Wormhole.Durable] {
        var found = KeyedItems<Wormhole.Durable>()
        try EngineListing.run { raw throws(CrosstieError) in
            let durable = try Wormhole.Durable(try EngineStructs.one(raw, as: ctie_engine_durable.self))
            found.add(durable, under: Array(durable.name.utf8) + [0] + Array(durable.identifier.utf8))
        } _: { listing throws(CrosstieError) in
            let left = try begin()
            try end("durables", functions.durables?(context, { EngineListing.visit($0, $1) }, listing, left))
        }
        return found.sorted
    }

    /// False if there is none.
    func forget(_ key: CursorKey) throws(CrosstieError) -> Bool {
        var isFound = false
        try lend(key) { topic, name throws(CrosstieError) in
            let left = try begin()
            isFound = try self.isFound("forget", functions.forget?(context, topic, name, left))
        }
        return isFound
    }

    /// False if there is none.
    func seek(_ key: CursorKey, to start: QueueStart) throws(CrosstieError) -> Bool {
        let (start, sequence, time) = start.ofEngine
        var isFound = false
        try lend(key) { topic, name throws(CrosstieError) in
            let left = try begin()
            isFound = try self.isFound("seek", functions.seek?(context, topic, name, start, sequence, time, left))
        }
        return isFound
    }

    func declare(
        _ key: CursorKey, _ options: DurableOptions, fromOldest: Bool, mayChange: Bool
    ) throws(CrosstieError) {
        var given = ctie_durable_options(options)
        if fromOldest { given.flags |= UInt32(CTIE_DURABLE_FROM_OLDEST) }
        if mayChange { given.flags |= UInt32(CTIE_DURABLE_CHANGE) }
        try options.deadLetter.withBytes { deadLetter throws(CrosstieError) in
            given.dead_letter = EngineBytes.lend(deadLetter)
            try lend(key) { topic, name throws(CrosstieError) in
                let left = try begin()
                try end("declare", functions.declare?(context, topic, name, &given, left))
            }
        }
    }
}
