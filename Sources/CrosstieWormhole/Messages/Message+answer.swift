/// Acknowledging and rejecting a message of a queue, on any thread. The answer is stored together with others, within
/// milliseconds and always before its listener is removed.
extension Message {
    /// Acknowledges the message. Returning from the listener does that, too, unless the listener was bound to
    /// acknowledge messages itself.
    ///
    /// - Returns: `ok`; `alreadyDone` (it was answered before, or its listener was removed); `invalidArgument` (not
    ///   from a queue).
    @discardableResult
    public func acknowledge() -> Status { answerBox?.answer(self, .acknowledged) ?? .invalidArgument }

    /// Says that the message could not be dealt with: a durable consumer gets it again, in whichever process is free.
    ///
    /// - Parameters:
    ///   - pause: not before it has passed; nil: as the name was declared, by default 100 ms after the first
    ///     time, twice as long after each further one, at most a minute.
    ///   - reason: why; kept with a dead letter, up to 1,000 bytes.
    /// - Returns: as ``acknowledge()``.
    @discardableResult
    public func reject(after pause: Duration? = nil, reason: String = "") -> Status {
        reject(afterNanoseconds: pause?.wholeNanoseconds, reason: reason)
    }

    /// As ``reject(after:reason:)``.
    package func reject(afterNanoseconds nanoseconds: UInt64?, reason: String) -> Status {
        guard let answerBox else { return .invalidArgument }
        let pause = nanoseconds.map { min($0, 1 << 60) }
        let rejection = Answer.Rejection(time: Clock.now(), pause: pause, reason: DeadLetterRecord.kept(reason))
        return answerBox.answer(self, .rejected(rejection))
    }
}
