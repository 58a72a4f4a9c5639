/// Answering for a message of a queue. Any thread may; what is answered is stored with other answers, within
/// milliseconds and in any case before its listener is gone.
extension Message {
    /// Says that the message has been dealt with. Unless its listener is bound to do so itself, returning does that.
    ///
    /// - Returns: `ok`; `alreadyDone` (it was answered before, or its listener is gone); `invalidArgument` (not from a queue).
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
        let rejection = Answer.Rejection(time: Clock.now(), pause: pause, reason: Burial.kept(reason))
        return answerBox.answer(self, .rejected(rejection))
    }
}
