extension Message {
    /// The engine's number of this delivery, to a durable consumer. It distinguishes deliveries as their times do.
    var claim: UInt64 {
        get { UInt64(bitPattern: givenSince) }
        set { givenSince = Int64(bitPattern: newValue) }
    }

    /// Bytes of its value, about.
    var approximateSize: Int { content?.total ?? 0 }

    var hasExpired: Bool { tags?.hasExpired ?? false }

    /// Whether both are of one identifier.
    func isOfIdentifier(of other: Message) -> Bool { equalBytes(identifierBytes, other.identifierBytes) }

    /// Whether a listener to a state needs this message no more when it gets a newer one.
    func isReplaced(by newer: Message) -> Bool {
        (kind == .signal) == (newer.kind == .signal) && isOfIdentifier(of: newer)
    }

    /// Whether it says to a listener on a prefix that everything was destroyed.
    func isOfEverything(_ topic: Topic) -> Bool {
        topic.isPrefix && kind == .destroyed && topic.text.withUnsafeBytes { equalBytes($0, identifierBytes) }
    }
}

extension Answer {
    /// The outcome of a message that no listener has got.
    init(of message: Message, _ outcome: Outcome) {
        self.init(sequence: message.sequence, since: message.givenSince, outcome: outcome)
    }
}
