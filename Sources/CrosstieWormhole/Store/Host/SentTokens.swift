/// The newest messages that a wormhole sent with a host's token, so that one sent again is the same one. Guarded by the
/// writers' lock.
final class SentTokens {
    typealias Sent = (token: StepToken, sequence: UInt64)

    /// The oldest first.
    private var known: [Sent] = []
    /// Those of which nobody can say any more whether they were sent; the oldest first.
    private var lost: [StepToken] = []

    /// So many are remembered.
    static var capacity: Int { 64 }

    /// The number of the message with a token; nil if it is not known.
    func sequence(_ token: StepToken) -> UInt64? { known.last { $0.token == token }?.sequence }

    func hasLost(_ token: StepToken) -> Bool { lost.contains(token) }

    func add(_ sent: Sent) {
        if known.count >= SentTokens.capacity { known.removeFirst() }
        known.append(sent)
    }

    func lose(_ token: StepToken) {
        if lost.count >= SentTokens.capacity { lost.removeFirst() }
        lost.append(token)
    }
}
