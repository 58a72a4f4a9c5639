internal import CCrosstie

extension Wormhole.Durable {
    /// One that an engine shows.
    /// - Throws: *corruptData* for one that cannot be.
    init(_ given: ctie_engine_durable) throws(CrosstieError) {
        guard let name = EngineBytes.string(given.name, limit: Identifier.maximumSize), !name.isEmpty,
            let identifier = EngineBytes.text(given.identifier), (try? Topic(identifier)) != nil
        else { throw .ofEngine("showed an impossible durable consumer") }
        let options =
            given.options == nil
            ? DurableOptions()
            : try DurableOptions(try EngineStructs.one(given.options, as: ctie_durable_options.self))
        self.init(name: name, identifier: String(decoding: identifier, as: UTF8.self), options: options)
        waiting = given.waiting
        waitingSize = given.waiting_size
        oldest = given.oldest == 0 ? nil : given.oldest
        retrying = given.retrying
        nextRetry = given.next_retry == 0 ? nil : given.next_retry
        deliveries = given.deliveries
        dead = given.dead
        missed = given.missed
        position = given.position
        listened = given.listened
        inHand = try Wormhole.Durable.holders(given)
    }

    /// Listeners of a durable consumer, at most.
    private static var maximumHolders: Int { 65_536 }

    private static func holders(_ given: ctie_engine_durable) throws(CrosstieError) -> [Holder] {
        guard given.holder_count != 0 else { return [] }
        guard (1...maximumHolders).contains(given.holder_count) else { throw .ofEngine("showed impossible holders") }
        let size = MemoryLayout<ctie_engine_holder>.size
        let structs = try EngineStructs(given.holders, count: given.holder_count, size: size)
        var found: [Holder] = []
        for index in 0..<structs.count {
            let holder = structs[index].load(as: ctie_engine_holder.self)
            guard let name = EngineBytes.string(holder.name, limit: WormholeOptions.maximumNameSize) else {
                throw .ofEngine("showed an impossible holder")
            }
            found.append(Holder(pid: holder.pid, name: name, count: Int(holder.count), since: holder.since))
        }
        return found
    }
}
