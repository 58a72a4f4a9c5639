/// What a handler asks of the time that is left.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the deadline has passed. Only close to it the precise clock is asked, for it costs much more.
    @inline(__always)
    package var isOverdue: Bool {
        let deadline = pointee.deadline
        guard deadline != Clock.never, deadline < Clock.coarse() &+ Clock.coarseLag else { return false }
        return deadline <= Clock.now()
    }

    /// Whether what is answered now is dropped because of a cancel, the deadline, or the bus's closing.
    package var isCancelled: Bool {
        hasEnded ? wasCancelled : isOverdue
    }

    /// Nil where there is no deadline. What is begun of a millisecond counts.
    package var millisecondsLeft: Int64? {
        guard pointee.deadline != Clock.never else { return nil }
        let now = Clock.now()
        guard now < pointee.deadline else { return 0 }
        return Int64(clamping: (pointee.deadline - now - 1) / 1_000_000 + 1)
    }
}
