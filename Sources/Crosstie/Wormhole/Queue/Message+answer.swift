/// Answering for a message of a queue. Any thread may; what is answered is stored with other answers, within
/// milliseconds and in any case before its listener is gone.
extension Message {
    /// Says that the message has been dealt with. Unless its listener is bound to do so itself, returning does that.
    ///
    /// - Returns: `ok`; `already` (it was answered before, or its listener is gone); `invalid` (not from a queue).
    @discardableResult
    public func acknowledge() -> Status { answerBox?.answer(self, .acknowledged) ?? .invalid }

    /// Says that the message could not be dealt with: a durable name gets it again, in whichever process is free.
    ///
    /// - Parameter milliseconds: not before so many have passed; nil: 100 ms after the first time, twice as long after
    ///   each further one, at most a minute.
    /// - Returns: as ``acknowledge()``.
    @discardableResult
    public func reject(after milliseconds: UInt64? = nil) -> Status {
        guard let answerBox else { return .invalid }
        let pause = milliseconds.map { min($0, 1 << 40) &* 1_000_000 } ?? Answer.pause(afterAttempts: delivery)
        return answerBox.answer(self, .rejected(notBefore: Clock.now() &+ pause))
    }
}
