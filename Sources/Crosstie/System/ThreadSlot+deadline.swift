/// The deadline of the call that this thread is making on a wormhole whose messages a host's transport keeps. Calls on
/// other wormholes set none.
extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// By the clock of ``Clock/now()``; ``Clock/never`` outside such a call.
    package var callDeadline: UInt64 {
        get { pointee.callDeadline }
        nonmutating set { pointee.callDeadline = newValue }
    }

    /// Puts the deadline off by nanoseconds that do not count.
    package func putOffDeadline(by span: UInt64) {
        if callDeadline != Clock.never { callDeadline = callDeadline &+ min(span, Clock.never &- callDeadline) }
    }

    /// The end of a wait for so many nanoseconds, which is not after the deadline.
    package func end(of span: UInt64) -> UInt64 { min(Clock.now() &+ span, callDeadline) }

    /// As much of a span as the deadline leaves, in nanoseconds.
    package func left(of span: UInt64) -> UInt64 {
        let deadline = callDeadline
        return deadline == Clock.never ? span : min(span, deadline &- min(Clock.now(), deadline))
    }
}
