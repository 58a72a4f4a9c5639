internal import CCrosstie

/// Bindings.
extension HostEngine {
    func bind(_ number: UInt64, _ topic: Topic, _ options: ListenOptions, credit: Int) throws(CrosstieError) {
        var how = ctie_engine_binding(options, credit: credit)
        try lend(CursorKey(topic, name: options.delivery == .durable ? options.name : [])) {
            topic, name throws(CrosstieError) in
            (how.topic, how.name) = (topic, name)
            let left = try begin()
            try end("bind", functions.bind?(context, number, &how, left))
        }
    }

    func credit(_ number: UInt64, _ count: Int) {
        calls.call { functions.credit?(context, number, UInt32(clamping: count)) }
    }

    /// Ends a binding, also when no time is left.
    func unbind(_ number: UInt64) throws(CrosstieError) {
        let now = Clock.now()
        let left = max(HostCalls.milliseconds(calls.deadline &- min(now, calls.deadline)), 1)
        try calls.call("unbind") { functions.unbind?(context, number, left) }
    }

    /// The members, in the order in which they joined.
    func members() throws(CrosstieError) -> [Wormhole.Member] {
        var found = KeyedItems<Wormhole.Member>()
        try EngineListing.run { raw throws(CrosstieError) in
            let given = try EngineStructs.one(raw, as: ctie_engine_member.self)
            guard let name = EngineBytes.string(given.name, limit: WormholeOptions.maximumNameSize), given.own <= 1
            else { throw .ofEngine("showed an impossible member") }
            let member = Wormhole.Member(pid: given.pid, name: name, since: given.since, isSelf: given.own == 1)
            found.add(member, under: .key(of: given.since))
        } _: { listing throws(CrosstieError) in
            let left = try begin()
            try end("members", functions.members?(context, { EngineListing.visit($0, $1) }, listing, left))
        }
        return found.sorted
    }
}

extension ctie_engine_binding {
    /// Without its texts.
    fileprivate init(_ options: ListenOptions, credit: Int) {
        self.init()
        size = MemoryLayout<ctie_engine_binding>.size
        self.credit = UInt32(clamping: credit)
        switch options.delivery {
        case .state:
            delivery = UInt32(CTIE_ENGINE_STATE)
            flags = options.initialDelivery ? 0 : UInt32(CTIE_ENGINE_NO_INITIAL_DELIVERY)
        case .queue: delivery = UInt32(CTIE_ENGINE_QUEUE)
        case .durable:
            delivery = UInt32(CTIE_ENGINE_DURABLE)
            max_unacknowledged = UInt32(clamping: options.maximumOpen)
        }
        (start, start_sequence, start_time) = options.start.ofEngine
    }
}

extension QueueStart {
    /// As an engine has it.
    var ofEngine: (start: UInt32, sequence: UInt64, time: Int64) {
        switch self {
        case .next, .sequence(.max): (UInt32(CTIE_ENGINE_FROM_NEXT), 0, 0)
        case .oldest, .sequence(0), .sequence(1): (UInt32(CTIE_ENGINE_FROM_OLDEST), 0, 0)
        case .sequence(let sequence): (UInt32(CTIE_ENGINE_FROM_SEQUENCE), sequence, 0)
        case .time(let time): (UInt32(CTIE_ENGINE_FROM_TIME), 0, time)
        }
    }
}
