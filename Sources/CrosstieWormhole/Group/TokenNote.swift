/// The token of a message whose step is being made.
final class TokenNote {
    private let token: StepToken
    private let sent: SentTokens
    private var first: UInt64 = 0
    /// The number of the message, if it was sent before.
    private var known: UInt64?

    init(_ token: StepToken, _ sent: SentTokens) { (self.token, self.sent) = (token, sent) }

    /// Runs a step once for the token; of one that was made before it gives the number.
    func once(_ body: () throws(CrosstieError) -> Receipt) throws(CrosstieError) -> Receipt {
        do throws(CrosstieError) {
            return try body()
        } catch {
            guard let known else { throw error }
            return Receipt(sequence: known, notified: MemberMask())
        }
    }

    /// Before the step writes something.
    /// - Throws: *alreadyDone* when it was made before, which ``once(_:)`` knows; *uncertain* when nobody can say that any more.
    func begin(_ transaction: borrowing StoreTransaction, _ first: UInt64) throws(CrosstieError) {
        known = sent.sequence(token)
        if known != nil { throw CrosstieError(.alreadyDone, "the message has been sent") }
        if sent.hasLost(token) {
            throw CrosstieError(.uncertain, "the message may have been sent: others have removed what says so")
        }
        self.first = first
        (transaction.records as? HostTransaction)?.message = (token, first)
    }

    /// After the commit; the writers' lock is held.
    func isDone() { sent.add((token, first)) }
}
