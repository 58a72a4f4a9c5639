/// The claimed messages, as read from the log.
struct ClaimedMessages {
    private(set) var messages: [Message] = []
    /// The outcomes of those that no longer exist.
    private(set) var removed: [Answer] = []
    private let topic: Topic
    private let box: AnswerBox
    private let deliveries: [CursorState.Delivery]
    /// The number of them that have been found or lost.
    private var count = 0

    /// So far two messages may lie apart that are still read in one go.
    private static var longestStep: UInt64 { 64 }

    init(_ deliveries: [CursorState.Delivery], for topic: Topic, box: AnswerBox) {
        self.topic = topic
        self.box = box
        self.deliveries = deliveries
        messages.reserveCapacity(deliveries.count)
    }

    var next: UInt64? { count < deliveries.count ? deliveries[count].sequence : nil }

    /// Notes that the next one is not in the log.
    mutating func lose() {
        guard let next else { return }
        // The previous listener got it, unless it died with it.
        let delivery = deliveries[count]
        let isMissed = !delivery.isRetried && (delivery.attempts == 1 || delivery.isUncertain)
        removed.append(Answer(sequence: next, since: delivery.since, outcome: .removed(isMissed: isMissed)))
        count += 1
    }

    /// Takes the record of a number if it is wanted. Those before it are not in the log.
    mutating func take(_ sequence: UInt64, _ record: LogRecord?) -> LogStep {
        while let next, next < sequence { lose() }
        guard let next else { return .stop }
        guard next == sequence else { return next - sequence > ClaimedMessages.longestStep ? .stop : .next }
        guard let record, !record.hasExpired else {
            lose()
            return .next
        }
        let message = Message.queued(record, for: topic)
        message.answerBox = box
        message.deliveryCount = deliveries[count].attempts
        message.givenSince = deliveries[count].since
        messages.append(message)
        count += 1
        return count == deliveries.count ? .stop : .next
    }
}

extension StoreTransaction {
    /// Reads the claimed messages, in the order of numbers.
    /// - Parameter box: where it is answered.
    func read(
        _ deliveries: [CursorState.Delivery], for topic: Topic, box: AnswerBox
    ) throws(CrosstieError) -> ClaimedMessages {
        var found = ClaimedMessages(deliveries, for: topic, box: box)
        while let next = found.next {
            try scanLog(after: next &- 1) { sequence, record in found.take(sequence, record) }
            // The log ends before it.
            if found.next == next { found.lose() }
        }
        return found
    }
}
