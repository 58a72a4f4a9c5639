internal import CPlatform
internal import Glibc
import Synchronization

/// A writer of several threads' messages in one transaction, for stores that wait for the disk: the threads wait
/// together.
///
/// One thread leads. Once it has the writers' lock it takes all waiting messages, writes them, reports to the other
/// threads, and makes the first of the threads that have come meanwhile the next leader.
final class CombinedWriter {
    /// The messages that one thread sends. It is on that thread's stack until it is completed.
    final class Step {
        let changes: UnsafeBufferPointer<Change>
        let sender: Sender
        let end: UInt64
        /// Set by the leading thread.
        fileprivate var outcome: Result<Receipt, CrosstieError>?
        fileprivate let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

        fileprivate init(_ changes: UnsafeBufferPointer<Change>, _ sender: Sender, _ end: UInt64) {
            self.changes = changes
            self.sender = sender
            self.end = end
            word.initialize(to: Atomic(Step.waits))
        }

        deinit { word.deallocate() }

        /// In the line of waiting steps.
        fileprivate static var waits: UInt32 { 0 }
        /// Taken by the leading thread, which will report the result.
        fileprivate static var isTaken: UInt32 { 1 }
        fileprivate static var leads: UInt32 { 2 }
        fileprivate static var isFinished: UInt32 { 3 }

        var left: UInt64 { end &- min(Clock.now(), end) }
    }

    typealias Finished = (step: Step, outcome: Result<Receipt, CrosstieError>)

    private let lock = Lock()
    /// Guarded by the lock: the waiting senders in their order, and whether a thread leads.
    private var line: [Step] = []
    private var isLed = false

    /// Limits of steps and messages in one transaction, so that no thread waits for long because of others.
    private static var maximumSteps: Int { 256 }
    private static var maximumMessages: Int { 4096 }

    func free() { lock.free() }

    /// The number of steps that wait to be taken.
    var waitingCount: Int { lock.with { line.count } }

    /// Writes changes, together with those of other threads.
    ///
    /// - Parameters:
    ///   - lead: locks the writers out, within the step's time, takes steps, and gives what became of each.
    func write(
        _ changes: UnsafeBufferPointer<Change>, _ sender: Sender, timeout: UInt64, lead: (Step) -> [Finished]
    ) throws(CrosstieError) -> Receipt {
        let step = Step(changes, sender, Clock.now() &+ timeout)
        if try waitInLine(step, timeout) {
            let finished = lead(step)
            // First, so that the disk works while the other threads are notified.
            handOver()
            for one in finished { finish(one.step, one.outcome) }
        }
        guard let outcome = step.outcome else { throw CrosstieError(.systemFailure, "no thread wrote the message") }
        return try outcome.get()
    }

    /// The leader's step and the waiting ones. The writers' lock is held.
    func take(with own: Step) -> [Step] {
        lock.with {
            var (steps, messages) = ([own], own.changes.count)
            var count = 0
            while count < line.count, steps.count < CombinedWriter.maximumSteps {
                messages += line[count].changes.count
                guard messages <= CombinedWriter.maximumMessages else { break }
                line[count].word.pointee.store(Step.isTaken, ordering: .relaxed)
                steps.append(line[count])
                count += 1
            }
            line.removeFirst(count)
            return steps
        }
    }

    private func finish(_ step: Step, _ outcome: Result<Receipt, CrosstieError>) {
        step.outcome = outcome
        notify(step, Step.isFinished)
    }

    // MARK: Waiting

    /// Waits until the step is completed, or this thread has to lead: then true.
    private func waitInLine(_ step: Step, _ timeout: UInt64) throws(CrosstieError) -> Bool {
        let leads = lock.with {
            defer { isLed = true }
            if isLed { line.append(step) }
            return !isLed
        }
        if leads { return true }
        while true {
            switch step.word.pointee.load(ordering: .acquiring) {
            case Step.leads: return true
            case Step.isFinished: return false
            case Step.isTaken: sleep(step, Step.isTaken, nil)
            default:
                guard step.left == 0 else {
                    sleep(step, Step.waits, step.left)
                    continue
                }
                if leave(step) { throw .late("another process has been holding the group", timeout) }
            }
        }
    }

    private func sleep(_ step: Step, _ state: UInt32, _ nanoseconds: UInt64?) {
        guard let nanoseconds else {
            _ = cp_futex_wait(step.word, state, nil, false)
            return
        }
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = cp_futex_wait(step.word, state, &time, false)
    }

    /// Leaves the line; false if the step has been taken meanwhile, or leads.
    private func leave(_ step: Step) -> Bool {
        lock.with {
            guard let position = line.firstIndex(where: { $0 === step }) else { return false }
            line.remove(at: position)
            return true
        }
    }

    /// Lets the next one lead.
    private func handOver() {
        let next: Step? = lock.with {
            isLed = !line.isEmpty
            return line.isEmpty ? nil : line.removeFirst()
        }
        if let next { notify(next, Step.leads) }
    }

    private func notify(_ step: Step, _ state: UInt32) {
        step.word.pointee.store(state, ordering: .releasing)
        _ = cp_futex_wake(step.word, 1, false)
    }
}
