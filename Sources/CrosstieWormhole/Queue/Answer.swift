/// What became of a message that a listener was given.
struct Answer {
    let sequence: UInt64
    /// Of the delivery that it is for: ``CursorState/Delivery/since``. A name that was moved may have had it given out anew.
    var since: Int64 = 0
    let outcome: Outcome

    enum Outcome: Equatable {
        case acknowledged
        /// To be given out again, later.
        case rejected(Rejection)
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

    /// Whether the message was given out in vain.
    var isFailure: Bool { needsRoom || outcome == .left }

    /// When a message was rejected, and what was said about it.
    struct Rejection: Equatable {
        /// By the clock of ``Clock/now()``.
        var time: UInt64
        /// For how long it rests, in nanoseconds; nil: as the name was declared.
        var pause: UInt64?
        /// Why: UTF-8, at most ``Burial/maximumReasonSize`` bytes.
        var reason: [UInt8] = []
    }
}
