/// A durable consumer of which only so much may wait to be handed out for the first time, as this process remembers it.
struct LimitedConsumer {
    let key: CursorKey
    let whenFull: DurableOptions.WhenFull
    /// Messages, and bytes of their values; 0: the group's limits.
    private let declared: LogTail
    /// Its options, if its topic may cover the identifier of its dead letters.
    private let options: DurableOptions?

    var topic: Topic { key.topic }

    /// Nil for one that has none beside the group's.
    init?(_ key: CursorKey, _ options: DurableOptions) {
        guard options.isLimited else { return nil }
        self.key = key
        whenFull = options.whenFull
        declared = LogTail(index: options.maximumMessages, total: options.maximumSize)
        self.options = key.topic.isPrefix && options.maximumDeliveries > 0 ? options : nil
    }

    /// Whether it may have messages ahead that it does not get.
    var skips: Bool { options != nil }

    /// Whether an identifier below the prefix is that of its dead letters, which it is not given.
    func skips(_ identifier: UnsafeRawBufferPointer) -> Bool { options?.isOfDeadLetters(identifier) == true }

    /// The limit of waiting messages. For a consumer that drops its oldest ones, only the group's limits count.
    func most(_ limits: StoreLimits) -> LogTail {
        let isGroups = whenFull != .dropOldest
        return LogTail(
            index: declared.index > 0 ? declared.index : isGroups ? limits.queuedCount : .max,
            total: declared.total > 0 ? declared.total : isGroups ? limits.queuedSize : .max)
    }

    /// For people.
    var description: String {
        let name = String(decoding: key.bytes.prefix { $0 != 0 }, as: UTF8.self)
        return "the durable consumer \(name) of \(String(decoding: topic.text, as: UTF8.self))"
    }
}

extension DurableOptions {
    var isLimited: Bool { whenFull != .dropOldest || maximumMessages > 0 || maximumSize > 0 }

    /// Whether messages that wait for the consumer, or that its listeners have in hand, are never dropped for the group's limits.
    var isProtected: Bool { whenFull != .dropOldest }
}

extension LogTail {
    func exceeds(_ most: LogTail) -> Bool { index > most.index || total > most.total }
}
