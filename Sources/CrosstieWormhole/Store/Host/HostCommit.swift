/// A commit on a host's transport, repeated until its fate is known.
struct HostCommit {
    let transport: HostTransport
    let steps: HostSteps
    let token: StepToken
    /// The newest version before it.
    let version: UInt64
    let deadline: UInt64
    /// The message that the host has given a token, with its number.
    let message: SentTokens.Sent?
    private var pause = 500_000

    init(
        _ transport: HostTransport, _ steps: HostSteps, _ token: StepToken, version: UInt64, deadline: UInt64,
        message: SentTokens.Sent?
    ) {
        (self.transport, self.steps, self.token, self.version) = (transport, steps, token, version)
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
                guard let answer = transport.commit(changes, after: version, token, milliseconds: left) else {
                    return steps.didCommit()
                }
                failure = answer
            } catch {
                // It was not even called.
                if isUnderWay { throw uncertain(error.message) }
                throw error
            }
            guard failure.mayHaveCommitted || isUnderWay else { throw failure }
            guard let key = steps.key else { throw failure.isCommitUnderWay ? .changedMeanwhile : failure }
            if failure.isCommitUnderWay { isUnderWay = true }
            switch try fate(key) {
            case .done: return steps.didCommit()
            case .conflict: throw .changedMeanwhile
            case .lost: throw uncertain("another member has removed the record of this one's newest step")
            case .open:
                guard isUnderWay else { throw failure }
                wait()
            }
        }
    }

    /// Reads whether it was done, until the deadline.
    private mutating func fate(_ key: [UInt8]) throws(CrosstieError) -> HostFate {
        while true {
            let failure: CrosstieError
            do throws(CrosstieError) {
                // First: with a newer version before the record is read, the commit cannot be done afterwards.
                let newest = try transport.version(until: deadline)
                let record = try transport.record(key, until: deadline)
                let stored = record.flatMap { StepToken(record: $0.bytes) }
                if record == nil || stored != nil {
                    steps.resolve(version: newest, stored: stored)
                    return HostFate(of: token, madeFor: version, newest: newest, stored: stored)
                }
                failure = CrosstieError(.corruptData, "the record of the newest step is damaged")
            } catch {
                failure = error
            }
            guard failure.status != .corruptData, Clock.now() < deadline else { throw uncertain(failure.message) }
            wait()
        }
    }

    /// Pauses, longer each time.
    private mutating func wait() {
        let now = Clock.now()
        guard now < deadline else { return }
        Clock.sleep(nanoseconds: min(pause, Int(clamping: deadline &- now)))
        pause = min(pause * 2, 50_000_000)
    }

    private func uncertain(_ reason: String) -> CrosstieError {
        steps.giveUp(token, at: version, message)
        return CrosstieError(.uncertain, "the step may have been made: \(reason)")
    }
}

extension CrosstieError {
    static var changedMeanwhile: CrosstieError { CrosstieError(.conflict, "the records have been changed meanwhile") }

    /// Whether a commit that was answered with it may be done later, too. A conflict with a version that is not newer is
    /// none yet: the version that this member reads lags behind.
    fileprivate var isCommitUnderWay: Bool {
        switch status {
        case .uncertain, .timedOut, .peerGone, .cancelled, .conflict: true
        default: false
        }
    }

    /// Whether a commit that was answered with it may have been done all the same.
    fileprivate var mayHaveCommitted: Bool { isCommitUnderWay || status == .systemFailure }
}
