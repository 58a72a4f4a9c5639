/// A commit on a host's transport, repeated until its fate is known.
struct HostCommit {
    let transport: HostTransport
    let steps: HostSteps
    /// The newest commit before it.
    let version: UInt64
    let deadline: UInt64
    /// The message that the host has given a token, with its number.
    let message: SentTokens.Sent?
    private var pause = 500_000

    private enum Fate {
        case done
        /// It never will be.
        case conflict
        /// Not yet: it may be under way.
        case open
    }

    init(
        _ transport: HostTransport, _ steps: HostSteps, version: UInt64, deadline: UInt64, message: SentTokens.Sent?
    ) {
        (self.transport, self.steps, self.version) = (transport, steps, version)
        (self.deadline, self.message) = (deadline, message)
    }

    /// - Throws: *conflict* when others have committed, *uncertain* when the fate cannot be read in time; else nothing
    ///   has changed.
    mutating func run(_ changes: [HostChange]) throws(CrosstieError) {
        var isUnderWay = false
        while true {
            let failure: CrosstieError
            do throws(CrosstieError) {
                let left = try transport.left(until: deadline)
                guard let answer = transport.commit(changes, after: version, steps.token, milliseconds: left) else {
                    return steps.didCommit()
                }
                failure = answer
            } catch {
                // It was not even called.
                if isUnderWay { throw uncertain(error) }
                throw error
            }
            guard failure.mayHaveCommitted || isUnderWay else { throw failure }
            guard let key = steps.key else { throw failure.isCommitUnderWay ? .changedMeanwhile : failure }
            if failure.isCommitUnderWay { isUnderWay = true }
            switch try fate(key) {
            case .done: return steps.didCommit()
            case .conflict: throw .changedMeanwhile
            case .open:
                guard isUnderWay else { throw failure }
                wait()
            }
        }
    }

    /// Reads whether it was done, until the deadline.
    private mutating func fate(_ key: [UInt8]) throws(CrosstieError) -> Fate {
        while true {
            do throws(CrosstieError) {
                return try look(key)
            } catch {
                guard !error.isLostToken, Clock.now() < deadline else { throw uncertain(error) }
            }
            wait()
        }
    }

    private func look(_ key: [UInt8]) throws(CrosstieError) -> Fate {
        // First: with a newer version before the record is read, the commit cannot be done afterwards.
        let newest = try transport.version(until: deadline)
        let record = try transport.record(key, until: deadline)
        let stored = record.flatMap { StepToken(record: $0.bytes) }
        guard record == nil || stored != nil else {
            throw CrosstieError(.corruptData, "the record of the newest step is damaged")
        }
        if stored == steps.token { return .done }
        guard stored != nil || !steps.hasRecord else { throw .lostToken }
        steps.resolve(version: newest, stored: stored)
        return newest > version ? .conflict : .open
    }

    /// Pauses, longer each time.
    private mutating func wait() {
        let now = Clock.now()
        guard now < deadline else { return }
        Clock.sleep(nanoseconds: min(pause, Int(clamping: deadline &- now)))
        pause = min(pause * 2, 50_000_000)
    }

    private func uncertain(_ last: CrosstieError) -> CrosstieError {
        steps.giveUp(at: version, message)
        return CrosstieError(.uncertain, "the step may have been made: \(last.message)")
    }
}

extension CrosstieError {
    static var changedMeanwhile: CrosstieError { CrosstieError(.conflict, "the records have been changed meanwhile") }

    /// Another member has taken this one for dead, and removed its token.
    fileprivate static var lostToken: CrosstieError {
        CrosstieError(.notFound, "another member has removed the record of this one's newest step")
    }

    fileprivate var isLostToken: Bool { status == .notFound }

    /// Whether a commit that was answered with it may be done later, too.
    fileprivate var isCommitUnderWay: Bool {
        status == .uncertain || status == .timedOut || status == .peerGone || status == .cancelled
    }

    /// Whether a commit that was answered with it may have been done all the same.
    fileprivate var mayHaveCommitted: Bool { isCommitUnderWay || status == .conflict || status == .systemFailure }
}
