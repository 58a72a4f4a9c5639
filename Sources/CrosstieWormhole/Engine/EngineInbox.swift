internal import CCrosstie

/// Messages on their way from an engine to a listener. Threads of the engine add, and the one that attends to the
/// listener takes. There are never more than the engine's credit.
final class EngineInbox: @unchecked Sendable {
    let number: UInt64
    let topic: Topic
    let delivery: ListenOptions.Delivery
    private let lock = Lock()
    // With the lock held.
    private var messages: [Message] = []
    private var order: EngineOrder
    /// The messages that the engine may deliver.
    private var credit: Int
    private(set) var repeatedCount: UInt64 = 0
    /// Of messages that were destroyed while they were here: to be given to the engine.
    private var purgedAnswers: [Answer] = []
    private var isOver = false
    /// Whether the listener has found nothing, and waits for the next message.
    private var isAwaited = false
    private var nudge: () -> Void = {}

    init(_ number: UInt64, _ topic: Topic, _ options: ListenOptions, credit: Int) {
        self.number = number
        self.topic = topic
        delivery = options.delivery
        order = EngineOrder(options.delivery, initialDelivery: options.initialDelivery)
        self.credit = credit
    }

    deinit { lock.free() }

    /// - Parameter nudge: called with the lock held.
    func connect(nudge: @escaping () -> Void) { lock.with { self.nudge = nudge } }

    // MARK: Threads of the engine

    /// Adds messages that were delivered together.
    /// - Parameters:
    ///   - keepsCredit: the engine is not told of credit that comes back, and `credit` is 0.
    ///   - report: called with the lock held, for each message that is dropped.
    func add(
        _ delivered: EngineStructs, keepsCredit: Bool, _ report: (CrosstieError) -> Void
    ) -> (Status, credit: Int) {
        lock.with {
            var (status, returned, index) = (Status.ok, 0, 0)
            while index < delivered.count, credit > 0, !isOver {
                credit -= 1
                do throws(CrosstieError) {
                    returned += try admit(delivered[index].load(as: ctie_engine_message.self))
                } catch {
                    returned += 1
                    status = .corruptData
                    report(error)
                }
                index += 1
            }
            if index < delivered.count { status = isOver ? .notFound : .limitExceeded }
            if isAwaited, !messages.isEmpty || keepsCredit && returned > 0 {
                isAwaited = false
                nudge()
            }
            if keepsCredit { return (status, 0) }
            credit += returned
            return (status, returned)
        }
    }

    /// Takes one in, if it is its turn. Returns the credit that comes back.
    private func admit(_ given: ctie_engine_message) throws(CrosstieError) -> Int {
        let next = try EngineMessage.delivered(given, to: topic, delivery)
        switch order.position(next, isStored: given.flags == EngineMessage.stored) {
        case .next: return append(next)
        case .repeated:
            repeatedCount &+= 1
            return 1
        case .before: throw .ofEngine("delivered a message out of its order")
        }
    }

    /// Appends a message, and removes those that it replaces. Returns the credit that comes back.
    private func append(_ next: Message) -> Int {
        let before = messages.count
        if delivery != .state {
            if next.kind == .destroyed { purge(by: next) }
        } else if next.isOfEverything(topic) {
            messages.removeAll { $0.kind != .signal }
        } else if let index = messages.firstIndex(where: { $0.isReplaced(by: next) }) {
            messages.remove(at: index)
        }
        messages.append(next)
        // The engine keeps a durable consumer's message until its outcome, with which its credit comes back.
        return delivery == .durable ? 0 : before + 1 - messages.count
    }

    /// Removes messages of a queue that were destroyed; their number replaces them. Newer messages stay: a durable
    /// consumer may have them when the engine delivers a CTIE_MESSAGE_DESTROYED once more.
    private func purge(by destroying: Message) {
        let isOfAll = destroying.isOfEverything(topic)
        var (kept, purged) = ([Message](), [Message]())
        for message in messages {
            let isOlder = message.kind != .missed && message.sequence < destroying.sequence
            let isPurged = isOlder && (isOfAll || message.isOfIdentifier(of: destroying))
            if isPurged { purged.append(message) } else { kept.append(message) }
        }
        guard !purged.isEmpty else { return }
        var (count, newest) = (UInt64(purged.count), purged.reduce(0) { max($0, $1.sequence) })
        if let notice = kept.last, notice.kind == .missed, notice.missed > 0 {
            count &+= notice.missed
            newest = max(newest, notice.sequence)
            kept.removeLast()
        }
        kept.append(topic.text.withUnsafeBytes { Message(missed: count, upTo: newest, under: $0) })
        messages = kept
        if delivery == .durable { for message in purged { purgedAnswers.append(Answer(of: message, .acknowledged)) } }
    }

    // MARK: The listener

    /// Bytes of values that are taken at a time.
    private static var enoughSize: Int { 4 << 20 }

    /// Takes messages in their order, so many at most. Says whether there are no more.
    func take(_ limit: Int) -> (messages: [Message], isEmpty: Bool) {
        lock.with {
            var (count, size) = (0, 0)
            while count < min(limit, messages.count), size < EngineInbox.enoughSize {
                size += messages[count].approximateSize
                count += 1
            }
            let taken = Array(messages[..<count])
            messages.removeFirst(count)
            isAwaited = messages.isEmpty
            return (taken, messages.isEmpty)
        }
    }

    /// The outcomes of messages that were destroyed.
    func takeAnswers() -> [Answer] {
        lock.with {
            defer { purgedAnswers = [] }
            return purgedAnswers
        }
    }

    func answer(_ answers: [Answer]) { lock.with { order.answer(answers) } }

    /// The number of messages that the engine may deliver.
    var currentCredit: Int { lock.with { credit } }

    /// Raises the credit to what a listener may have at most, less the number that it has already. Gives by how much:
    /// 0 if that is little and the engine has some left.
    func raiseCredit(to target: Int, less held: Int) -> Int {
        lock.with {
            let lacking = target - held - credit - messages.count - purgedAnswers.count
            guard lacking > 0, credit == 0 || lacking * 2 >= target else { return 0 }
            credit += lacking
            return lacking
        }
    }

    /// Takes nothing more. Returns the messages that no listener has got.
    func end() -> [Message] {
        lock.with {
            isOver = true
            (isAwaited, nudge) = (false, {})
            defer { messages = [] }
            return messages
        }
    }
}
