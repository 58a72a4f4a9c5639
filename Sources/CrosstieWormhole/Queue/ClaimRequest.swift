/// The request of a durable consumer's listener in one step: its answers, and a claim.
struct ClaimRequest {
    let key: CursorKey
    /// Of the cursor that the listener was bound to.
    let identity: UInt64
    let owner: UInt64
    /// The outcomes of its messages.
    var answers: [Answer]
    /// The number of messages that it takes.
    let limit: Int
    /// Whether the messages of dead members are freed.
    let freesTheDead: Bool
    /// A range known to hold nothing for the consumer.
    let quiet: Group.QuietStretch
    /// Whether the listener, which is reporting none, takes over the report of missed messages.
    let reportsMissed: Bool
    /// Whether what failed often enough becomes a dead letter now. Otherwise it stays where it is: the store is full.
    var makesDeadLetters = true
    /// Of those without a listener so many become dead letters at once: each makes the step larger.
    var mostLost = Int.max

    /// Drops the failures behind the first few. Returns those that were dropped.
    mutating func keepFailures(_ count: Int) -> [Answer] {
        let failures = answers.filter(\.needsRoom)
        answers = answers.filter { !$0.needsRoom } + failures.prefix(count)
        (makesDeadLetters, mostLost) = (count > 0, count)
        return Array(failures.dropFirst(count))
    }

    /// Bytes that it adds to the store; nil if it only makes room.
    var room: Int? {
        var room = 0
        for case .rejected(let rejection) in answers.lazy.map(\.outcome) {
            room += WaitingMessage.footprint + rejection.reason.count
        }
        return room > 0 ? room : nil
    }
}
