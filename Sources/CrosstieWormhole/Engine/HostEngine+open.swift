internal import CCrosstie

extension HostEngine {
    /// Opens the group for a member. Gives the abilities that the engine claims, and those that follow from its functions.
    func open(
        _ group: String, _ table: UnsafePointer<ctie_engine_host>
    ) throws(CrosstieError) -> Wormhole.Abilities {
        var claimed: UInt32 = 0
        try Array(group.utf8).withBytes { group throws(CrosstieError) in
            let left = try begin()
            try end("open", functions.open?(context, EngineBytes.lend(group), table, &claimed, left))
        }
        let abilities = Wormhole.Abilities(rawValue: claimed)
        guard abilities.isSubset(of: .ofEngines) else {
            throw .ofEngine("claims abilities that no engine can have")
        }
        return abilities.union(ofFunctions).union(abilities.contains(.atomicBatches) ? .batches : [])
    }

    private var ofFunctions: Wormhole.Abilities {
        var abilities: Wormhole.Abilities = []
        if functions.forget != nil { abilities.insert(.forgetting) }
        if functions.durables != nil { abilities.insert(.listingDurables) }
        if functions.seek != nil { abilities.insert(.seeking) }
        if functions.declare != nil { abilities.insert(.declaring) }
        if functions.scheduled != nil { abilities.insert(.listingScheduled) }
        if functions.cancel != nil { abilities.insert(.cancelling) }
        if joinsBuses { abilities.insert(.joiningBuses) }
        if functions.send_each != nil { abilities.insert(.batches) }
        if functions.dead_letters != nil, functions.end_dead_letters != nil { abilities.insert(.deadLetters) }
        return abilities
    }

    private var joinsBuses: Bool {
        functions.join != nil && functions.send_frame != nil && functions.disconnect != nil && functions.leave != nil
    }
}
