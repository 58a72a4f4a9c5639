/// The steps of one member on a host's transport whose fate could not be read. Guarded by the writers' lock.
///
/// Each commit stores the step's token under the member's own key. After an uncertain answer that record says whether
/// the commit was done: nobody else writes it, and no other step of this member follows before that is known, or the
/// step is given up.
final class HostSteps {
    /// A step with a message of the host's that was given up before its fate could be read.
    struct Open {
        let token: StepToken
        /// The version that it was made for: once there is a newer one it cannot be done any more.
        let version: UInt64
        let message: SentTokens.Sent
    }

    /// The token's key; nil before it is a member and afterwards. Then steps are such that making them twice does no harm.
    var key: [UInt8]?
    private(set) var open: [Open] = []
    let sent = SentTokens()
    /// The keys that the last step read one by one.
    var usualKeys: [[UInt8]] = []

    /// A step was done. Those that are open were not, because it was made for the same version.
    func didCommit() { open = [] }

    /// Gives a step up. Only a message with a token of the host's may be asked for again.
    func giveUp(_ token: StepToken, at version: UInt64, _ message: SentTokens.Sent?) {
        guard let message else { return }
        if open.count >= SentTokens.capacity { sent.lose(open.removeFirst().message.token) }
        open.append(Open(token: token, version: version, message: message))
    }

    /// Decides on the open steps by the token that is stored when the newest commit is `version`; nil if none is.
    func resolve(version: UInt64, stored: StepToken?) {
        open.removeAll { step in
            switch HostFate(of: step.token, madeFor: step.version, newest: version, stored: stored) {
            case .open: return false
            case .done: sent.add(step.message)
            case .conflict: break
            case .lost: sent.lose(step.message.token)
            }
            return true
        }
    }
}
