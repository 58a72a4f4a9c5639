/// The order in which an engine must deliver the messages of a binding.
struct EngineOrder {
    /// The position of the next message in it.
    enum Position {
        case next
        /// The last one once more.
        case repeated
        /// Before one that was delivered.
        case before
    }

    /// A message of a durable consumer that was delivered and not answered.
    private struct Delivery {
        let claim: UInt64
        let sequence: UInt64
        let count: UInt32
    }

    private let delivery: ListenOptions.Delivery
    /// The highest number so far.
    private var newest: UInt64 = 0
    /// The identifier of the last stored message; nil when there can be none any more.
    private var lastStored: [UInt8]?
    private var inHand: [Delivery] = []

    init(_ delivery: ListenOptions.Delivery, initialDelivery: Bool) {
        self.delivery = delivery
        lastStored = delivery == .state && initialDelivery ? [] : nil
    }

    /// Notes the next message.
    mutating func position(_ next: Message, isStored: Bool) -> Position {
        if delivery == .durable { return next.kind == .missed ? .next : takeInHand(next) }
        if isStored { return positionOfStored(next) }
        guard next.sequence > newest else { return next.sequence == newest ? .repeated : .before }
        (newest, lastStored) = (next.sequence, nil)
        return .next
    }

    private mutating func positionOfStored(_ next: Message) -> Position {
        guard let last = lastStored else { return .before }
        let order = last.withUnsafeBytes { KeyOrder.compare(next.identifierBytes, $0) }
        guard order > 0 else { return order == 0 ? .repeated : .before }
        lastStored = Array(next.identifierBytes)
        newest = max(newest, next.sequence)
        return .next
    }

    /// Redeliveries, retries of dead letters and a moved consumer go back, so that only its messages in hand are known.
    /// One may be delivered once more with a higher count.
    private mutating func takeInHand(_ next: Message) -> Position {
        let fresh = Delivery(claim: next.claim, sequence: next.sequence, count: next.deliveryCount)
        for each in inHand {
            if each.claim == fresh.claim {
                return each.sequence == fresh.sequence && each.count == fresh.count ? .repeated : .before
            }
            if each.sequence == fresh.sequence, each.count >= fresh.count { return .before }
        }
        inHand.append(fresh)
        return .next
    }

    /// Notes that messages have been answered.
    mutating func answer(_ answers: [Answer]) {
        for answer in answers {
            if let index = inHand.firstIndex(where: { Int64(bitPattern: $0.claim) == answer.since }) {
                inHand.remove(at: index)
            }
        }
    }
}
