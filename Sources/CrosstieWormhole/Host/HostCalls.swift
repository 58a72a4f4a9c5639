internal import CCrosstie

/// Calling a host's own functions, those of a transport or an engine: each with what is left of its caller's time.
struct HostCalls {
    /// The owner of the functions, for errors.
    let owner: StaticString
    /// Nanoseconds that a step may take on a thread without a deadline.
    var timeout: UInt64 = 5_000_000_000

    init(of owner: StaticString) { self.owner = owner }

    // MARK: Time

    /// Begins a call of this thread, with a deadline. Gives the argument of ``end(_:)``.
    static func begin(_ timeout: UInt64) -> UInt64 {
        let slot = ThreadSlot.current
        let outer = slot.callDeadline
        slot.callDeadline = slot.end(of: timeout)
        return outer
    }

    static func end(_ outer: UInt64) { ThreadSlot.current.callDeadline = outer }

    /// The deadline of a step that begins now.
    var deadline: UInt64 { ThreadSlot.current.end(of: timeout) }

    /// Milliseconds, at least one.
    func left(until deadline: UInt64) throws(CrosstieError) -> Int64 {
        let now = Clock.now()
        guard now < deadline else { throw CrosstieError(.timedOut, "the \(owner) has taken all the time there was") }
        return HostCalls.milliseconds(deadline &- now)
    }

    static func milliseconds(_ nanoseconds: UInt64) -> Int64 {
        Int64(clamping: Clock.milliseconds(nanoseconds: nanoseconds))
    }

    // MARK: Calling

    /// Calls a function, which is there, and takes its answer. Its arguments are the caller's responsibility.
    @inline(__always)
    func call(_ name: StaticString, _ body: () -> ctie_status?) throws(CrosstieError) {
        HostCalls.enter()
        let answer = body()
        ThreadSlot.current.leaveTransport()
        if let answer, answer != 0 { throw failure(name, answer) }
    }

    /// Notes that a function is about to be called. The reason of an earlier failure is not its.
    static func enter() {
        let slot = ThreadSlot.current
        _ = slot.takeExplanation()
        slot.enterTransport()
    }

    /// Calls a function without an answer.
    func call(_ body: () -> Void) {
        ThreadSlot.current.enterTransport()
        body()
        ThreadSlot.current.leaveTransport()
    }

    @inline(never)
    func failure(_ name: StaticString, _ answer: ctie_status) -> CrosstieError {
        let isKnown = answer < 0 && answer >= Int32(CTIE_STATUS_LAST_)
        let status = isKnown ? Status(rawValue: answer) : .systemFailure
        if let reason = ThreadSlot.current.takeExplanation() {
            return CrosstieError(status, "\(status.message): \(reason)")
        }
        return CrosstieError(status, "the \(owner)'s \(name) answered \(answer)")
    }
}
