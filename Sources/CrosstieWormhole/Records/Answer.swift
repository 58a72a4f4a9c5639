/// The outcome of a message that a listener got.
struct Answer {
    let sequence: UInt64
    /// Of the delivery that it is for: ``CursorState/Delivery/since``. A consumer that was moved may have delivered it
    /// again.
    var since: Int64 = 0
    let outcome: Outcome

    enum Outcome: Equatable {
        case acknowledged
        /// To be redelivered later.
        case rejected(Rejection)
        /// It was delivered, and no listener answers for it any more.
        case left
        /// It was claimed and not delivered.
        case undelivered
        /// It could not be delivered, because it was destroyed or the log was too long.
        case removed(isMissed: Bool)
        /// Not a message, but the report of this many missed ones.
        case missed(reported: UInt64)
    }

    /// Whether storing it takes room.
    var needsRoom: Bool { if case .rejected = outcome { true } else { false } }

    /// Whether the delivery failed.
    var isFailure: Bool { needsRoom || outcome == .left }

    /// The time of a rejection, and its reason.
    struct Rejection: Equatable {
        /// By the clock of ``Clock/now()``.
        var time: UInt64
        /// For how long it rests, in nanoseconds; nil: as the name was declared.
        var pause: UInt64?
        /// Why: UTF-8, at most ``DeadLetterRecord/maximumReasonSize`` bytes.
        var reason: [UInt8] = []
    }
}
