/// The token of a message whose step is being made.
final class TokenNote {
    private let token: StepToken
    private let sent: SentTokens
    private var first: UInt64 = 0
    /// The number of the message, if it was sent before.
    private(set) var known: UInt64?

    init(_ token: StepToken, _ sent: SentTokens) { (self.token, self.sent) = (token, sent) }

    /// Before the step writes something. Throws when it was made before: see ``known``.
    func begin(_ transaction: borrowing StoreTransaction, _ first: UInt64) throws(CrosstieError) {
        known = sent.sequence(token)
        if known != nil { throw CrosstieError(.alreadyDone, "the message has been sent") }
        self.first = first
        (transaction.records as? HostTransaction)?.message = (token, first)
    }

    /// After the commit; the writers' lock is held.
    func isDone() { sent.add((token, first)) }
}
