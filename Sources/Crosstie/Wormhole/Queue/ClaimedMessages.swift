/// What has been claimed, as it is read from the log.
struct ClaimedMessages {
    private(set) var messages: [Message] = []
    /// What became of those that are there no more.
    private(set) var gone: [Answer] = []
    private let topic: Topic
    private let dropped: UInt64
    private var left: ArraySlice<CursorState.Delivery>

    /// So far two messages may lie apart that are still read in one go.
    private static var longestStep: UInt64 { 64 }

    init(_ deliveries: [CursorState.Delivery], for topic: Topic, dropped: UInt64) {
        self.topic = topic
        self.dropped = dropped
        left = deliveries[...]
    }

    var next: UInt64? { left.first?.sequence }

    /// Notes that the next one is not in the log.
    mutating func lose() {
        guard let delivery = left.popFirst() else { return }
        let isMissed = delivery.sequence <= dropped
        gone.append(Answer(sequence: delivery.sequence, outcome: .gone(isMissed: isMissed)))
    }

    /// Takes the record of a number if it is wanted. Those before it are not in the log.
    mutating func take(_ sequence: UInt64, _ record: LogRecord?) -> ScanStep {
        while let next, next < sequence { lose() }
        guard let next else { return .stop }
        guard next == sequence else { return next - sequence > ClaimedMessages.longestStep ? .stop : .next }
        guard let record, let delivery = left.first else {
            lose()
            return .next
        }
        left.removeFirst()
        let message = Message.queued(record, for: topic)
        message.delivery = delivery.attempts
        messages.append(message)
        return left.isEmpty ? .stop : .next
    }
}

extension StoreTransaction {
    /// Reads what has been claimed, in the order of numbers.
    func read(_ deliveries: [CursorState.Delivery], for topic: Topic) throws(CrosstieError) -> ClaimedMessages {
        var found = ClaimedMessages(deliveries, for: topic, dropped: try meta().dropped)
        while let next = found.next {
            try scanLog(after: next &- 1) { sequence, record in found.take(sequence, record) }
            // The log ends before it.
            if found.next == next { found.lose() }
        }
        return found
    }
}
