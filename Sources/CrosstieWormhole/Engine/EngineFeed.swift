/// A listener's messages of an engine: of a state, a queue, or a durable consumer.
final class EngineFeed: Feed {
    private let topic: Topic
    private let options: ListenOptions
    private let host: EngineHost
    private let inbox: EngineInbox
    /// Nil for a state, whose messages are not answered.
    private let box: AnswerBox?
    /// The credit that the binding begins with.
    private let credit: Int
    /// Of a durable consumer: the number that it gets at a time.
    private var size: BatchSize
    /// Whether the first message is to come yet.
    private var isFirstDue: Bool

    init(_ topic: Topic, _ options: ListenOptions, of host: EngineHost) {
        self.topic = topic
        self.options = options
        self.host = host
        size = BatchSize(options)
        box = options.delivery == .state ? nil : AnswerBox(acknowledges: !options.isManual)
        isFirstDue = options.delivery == .state && options.initialDelivery
        credit = options.delivery == .durable ? max(min(size.limit(open: 0), host.window), 1) : host.window
        inbox = EngineInbox(host.nextNumber(), topic, options, credit: credit)
    }

    private var isDurable: Bool { options.delivery == .durable }

    var isQueue: Bool { options.delivery != .state }

    func connect(nudge: @escaping () -> Void) {
        box?.connect(nudge: nudge)
        inbox.connect(nudge: nudge)
    }

    func start() throws(CrosstieError) {
        host.add(inbox)
        do throws(CrosstieError) {
            try host.engine.bind(inbox.number, topic, options, credit: credit)
        } catch {
            host.remove(inbox)
            _ = inbox.end()
            if error.status == .uncertain { try? host.engine.unbind(inbox.number) }
            throw error
        }
    }

    func end() {
        host.remove(inbox)
        let undelivered = inbox.end()
        if isDurable {
            var answers = (box?.end() ?? []) + inbox.takeAnswers()
            for message in undelivered where message.kind != .missed {
                answers.append(Answer(of: message, .undelivered))
            }
            resolve(answers)
        } else {
            _ = box?.end()
        }
        host.unbind(inbox)
    }

    func didDeliver(_ message: Message) {
        box?.didDeliver(message)
        if isDurable { size.didDeliver() }
    }

    func collect(into batch: inout Batch) {
        if let box { resolve(box.take() + inbox.takeAnswers()) }
        let (taken, isEmpty) = inbox.take(limit)
        var expired: [Answer] = []
        for message in taken where !add(message, to: &batch) { expired.append(Answer(of: message, .acknowledged)) }
        resolve(expired)
        box?.give(batch.messages)
        if isDurable { size.begin(batch.messages.count, isFull: inbox.currentCredit == 0) }
        raiseCredit()
        // Returning answers for a message, which the engine gets at once.
        let hasAnswers = isDurable && !options.isManual && !taken.isEmpty
        batch.hasMore = hasAnswers || !isEmpty && limit > 0
    }

    /// The number of messages that it may take now.
    private var limit: Int {
        guard let box, options.isManual else { return .max }
        return max(options.maximumOpen - box.count, 0)
    }

    private func raiseCredit() {
        let (target, held) = isDurable ? (size.limit(open: 0), box?.count ?? 0) : (host.window, 0)
        let count = inbox.raiseCredit(to: min(target, host.window), less: held)
        if count > 0 { host.engine.credit(inbox.number, count) }
    }

    private func resolve(_ answers: [Answer]) {
        guard isDurable, !answers.isEmpty else { return }
        inbox.answer(answers)
        host.engine.resolve(inbox.number, answers)
    }

    // MARK: Expired messages

    /// Adds a message, or its replacement if it has expired: then false.
    private func add(_ next: Message, to batch: inout Batch) -> Bool {
        defer { isFirstDue = false }
        guard next.hasExpired else {
            next.answerBox = box
            batch.add(next, size: next.approximateSize)
            return true
        }
        if let notice = replacement(of: next) { batch.add(notice, size: 0) }
        return false
    }

    /// The message that a listener gets in place of an expired one; nil for none. Its first one never lacks.
    private func replacement(of expired: Message) -> Message? {
        topic.text.withUnsafeBytes { text in
            guard options.delivery == .state else {
                let notice = Message(missed: 1, upTo: expired.sequence, under: text)
                notice.answerBox = box
                return notice
            }
            return isFirstDue && !topic.isPrefix ? Message(.none, under: text) : nil
        }
    }
}
