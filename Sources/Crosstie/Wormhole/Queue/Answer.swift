/// What became of a message that a listener was given.
struct Answer {
    let sequence: UInt64
    let outcome: Outcome

    enum Outcome: Equatable {
        case acknowledged
        /// To be given out again, at this time or later.
        case rejected(notBefore: UInt64)
        /// It was told, and nobody answers for it any more.
        case left
        /// It was given out and not told.
        case unheard
        /// It could not be told, since it is there no more: because somebody destroyed it, or the log was too long.
        case gone(isMissed: Bool)
        /// No message, but what was missed: so many have been told of.
        case missed(told: UInt64)
    }

    /// Whether storing it takes room.
    var needsRoom: Bool { if case .rejected = outcome { true } else { false } }

    /// How long a message rests that was rejected without a word about when: 100 ms after the first time it was given
    /// out, twice as long after each further one, at most a minute.
    static func pause(afterAttempts attempts: UInt32) -> UInt64 {
        min(100_000_000 << UInt64(min(max(attempts, 1) - 1, 10)), 60_000_000_000)
    }
}
