internal import CCrosstie

/// The options of a durable consumer as an engine has them.
extension ctie_durable_options {
    private static var millisecond: UInt64 { 1_000_000 }

    /// Without its text.
    init(_ options: DurableOptions) {
        self.init()
        size = MemoryLayout<ctie_durable_options>.size
        max_deliveries = options.maximumDeliveries
        backoff_first_ms = options.backOff.first / ctie_durable_options.millisecond
        backoff_most_ms = options.backOff.most / ctie_durable_options.millisecond
        backoff_factor = options.backOff.factor
        backoff_jitter = options.backOff.jitter
        max_messages = options.maximumMessages
        max_size = options.maximumSize
        when_full = options.whenFull.rawValue
        expires_ms = options.expiry / ctie_durable_options.millisecond
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
        backOff.first = DurableOptions.nanoseconds(given.backoff_first_ms)
        backOff.most = DurableOptions.nanoseconds(given.backoff_most_ms)
        backOff.factor = given.backoff_factor
        backOff.jitter = given.backoff_jitter
        maximumMessages = given.max_messages
        maximumSize = given.max_size
        expiry = DurableOptions.nanoseconds(given.expires_ms)
        if (try? check()) == nil { throw .ofEngine("showed impossible options of a durable consumer") }
    }

    /// A span beyond the range of the clock is as long as the range.
    private static func nanoseconds(_ milliseconds: UInt64) -> UInt64 {
        let (product, isTooLong) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        return isTooLong ? UInt64(Int64.max) : product
    }
}
