/// The newest messages that a host sent with a token, so that one sent again is the same one. Guarded by the writers'
/// lock.
final class SentTokens {
    typealias Sent = (token: StepToken, sequence: UInt64)

    /// The oldest first.
    private var known: [Sent] = []

    /// So many are remembered.
    static var capacity: Int { 64 }

    /// The number of the message with a token; nil if it is not known.
    func sequence(_ token: StepToken) -> UInt64? { known.last { $0.token == token }?.sequence }

    func add(_ sent: Sent) {
        if known.count >= SentTokens.capacity { known.removeFirst() }
        known.append(sent)
    }
}
