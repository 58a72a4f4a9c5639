internal import CCrosstie

/// The options of a durable consumer as an engine has them.
extension ctie_durable_options {
    /// Without its text. Its times are rounded up: 0 would mean none.
    init(_ options: DurableOptions) {
        self.init()
        size = MemoryLayout<ctie_durable_options>.size
        max_deliveries = options.maximumDeliveries
        backoff_first_ms = Clock.milliseconds(nanoseconds: options.backOff.first)
        backoff_most_ms = Clock.milliseconds(nanoseconds: options.backOff.most)
        backoff_factor = options.backOff.factor
        backoff_jitter = options.backOff.jitter
        max_messages = options.maximumMessages
        max_size = options.maximumSize
        when_full = options.whenFull.rawValue
        expires_ms = Clock.milliseconds(nanoseconds: options.expiry)
    }
}

extension DurableOptions {
    /// Those that an engine shows.
    /// - Throws: *corruptData* for impossible ones.
    init(_ given: ctie_durable_options) throws(CrosstieError) {
        self.init()
        guard let whenFull = WhenFull(rawValue: given.when_full), let deadLetter = EngineBytes.text(given.dead_letter),
            deadLetter.count <= Identifier.maximumSize
        else { throw .ofEngine("showed impossible options of a durable consumer") }
        self.whenFull = whenFull
        self.deadLetter = Array(deadLetter)
        maximumDeliveries = given.max_deliveries
        backOff.first = Clock.nanoseconds(milliseconds: given.backoff_first_ms)
        backOff.most = Clock.nanoseconds(milliseconds: given.backoff_most_ms)
        backOff.factor = given.backoff_factor
        backOff.jitter = given.backoff_jitter
        maximumMessages = given.max_messages
        maximumSize = given.max_size
        expiry = Clock.nanoseconds(milliseconds: given.expires_ms)
        if (try? check()) == nil { throw .ofEngine("showed impossible options of a durable consumer") }
    }
}
