internal import Glibc
import Synchronization

/// The unanswered messages of a queue listener, and its answers until they are stored. Messages hold it, since any
/// thread may answer.
final class AnswerBox: @unchecked Sendable {
    private let lock = Lock()
    /// Whether a listener's return acknowledges the message.
    private let acknowledges: Bool
    /// The number of messages that the listener has returned from. Raised by the thread that calls it, without a lock: the
    /// answers are recorded when they are needed.
    private let deliveredCount = Atomic<Int>(0)
    private let forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    // With the lock held.
    private var given: [Given] = []
    /// Those before it have been answered.
    private var firstOpen = 0
    /// Those before it are known to have been delivered.
    private var firstUndelivered = 0
    /// The number of delivered messages that are known to be.
    private var reconciledCount = 0
    private var openCount = 0
    private var answers: [Answer] = []
    private var isOver = false
    private var nudge: () -> Void = {}

    private struct Given {
        let sequence: UInt64
        /// A message that was rejected may be given again, and is another one then.
        let delivery: UInt32
        let since: Int64
        var isDelivered = false
        var isOpen = true
    }

    init(acknowledges: Bool) { self.acknowledges = acknowledges }

    deinit { lock.free() }

    /// - Parameter nudge: called when there are answers to be stored, with a lock held.
    func connect(nudge: @escaping () -> Void) { lock.with { self.nudge = nudge } }

    /// The number of those that are not answered.
    var count: Int {
        lock.with {
            reconcileDelivered()
            return openCount
        }
    }

    /// Takes the next messages to deliver, each with this as its ``Message/answerBox``. The previous ones have been
    /// delivered.
    func give(_ messages: [Message]) {
        lock.with {
            reconcileDelivered()
            if given.count > 2 * openCount + 64 { forgetAnswered() }
            for message in messages {
                guard message.kind != .missed else { continue }
                given.append(
                    Given(sequence: message.sequence, delivery: message.deliveryCount, since: message.givenSince))
                openCount += 1
            }
        }
    }

    /// Notes that the listener has returned from a message, in the order in which they were given. On the thread that
    /// calls it.
    func didDeliver(_ message: Message) {
        guard message.kind != .missed else { return }
        deliveredCount.store(deliveredCount.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    /// Takes an answer, of whatever thread. `alreadyDone` if there was an answer before, or the listener has been
    /// removed.
    func answer(_ message: Message, _ outcome: Answer.Outcome) -> Status {
        guard message.kind != .missed else { return .ok }
        guard forkCount == ProcessState.current.pointee.forkCount.load(ordering: .relaxed) else { return .alreadyDone }
        return lock.with {
            reconcileDelivered()
            guard !isOver, let index = index(of: message) else { return .alreadyDone }
            close(index, outcome)
            // With the lock held, so that the listener is not removed meanwhile.
            if answers.count == 1 { nudge() }
            return .ok
        }
    }

    /// Gives the answers that have come, to be stored.
    func take() -> [Answer] {
        lock.with {
            reconcileDelivered()
            defer { answers = [] }
            return answers
        }
    }

    /// Refuses further answers. Returns those given so far, and frees the other messages.
    func end() -> [Answer] {
        lock.with {
            reconcileDelivered()
            isOver = true
            nudge = {}
            for item in given where item.isOpen {
                let outcome: Answer.Outcome = item.isDelivered ? .left : .undelivered
                answers.append(Answer(sequence: item.sequence, since: item.since, outcome: outcome))
            }
            given = []
            defer { answers = [] }
            return answers
        }
    }

    private func forgetAnswered() {
        given.removeAll { !$0.isOpen }
        firstOpen = 0
        firstUndelivered = given.count
    }

    private func reconcileDelivered() {
        let count = deliveredCount.load(ordering: .acquiring)
        while reconciledCount < count, firstUndelivered < given.count {
            given[firstUndelivered].isDelivered = true
            if acknowledges, given[firstUndelivered].isOpen { close(firstUndelivered, .acknowledged) }
            firstUndelivered += 1
            reconciledCount += 1
        }
    }

    private func index(of message: Message) -> Int? {
        given[firstOpen...].firstIndex {
            $0.sequence == message.sequence && $0.delivery == message.deliveryCount && $0.since == message.givenSince
                && $0.isOpen
        }
    }

    private func close(_ index: Int, _ outcome: Answer.Outcome) {
        answers.append(Answer(sequence: given[index].sequence, since: given[index].since, outcome: outcome))
        given[index].isOpen = false
        openCount -= 1
        while firstOpen < given.count, !given[firstOpen].isOpen { firstOpen += 1 }
    }
}
