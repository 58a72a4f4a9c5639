/// The progress of one run of sending due messages.
struct DueRound {
    /// Messages due by then are sent.
    let time = DueTimes.now
    private let begin = Clock.now()
    /// The key from which on to look.
    var start: [UInt8] = []
    /// Identifiers of which a durable consumer refuses some.
    var refused: Set<[UInt8]> = []
    var hasSentSome = false

    func refuses(_ message: ScheduledMessage?) -> Bool {
        guard !refused.isEmpty, let message else { return false }
        return refused.contains(Array(message.identifier))
    }

    /// Messages that could not be sent are tried again after this time,
    static var retry: UInt64 { 1_000_000_000 }

    /// or later, where much had to be looked at in vain.
    var retryTime: UInt64 {
        DueTimes.now &+ (hasSentSome ? DueRound.retry : max(DueRound.retry, 20 &* (Clock.now() &- begin)))
    }
}
