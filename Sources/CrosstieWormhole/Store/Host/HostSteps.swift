/// The steps of one member on a host's transport, and which of them were done. Guarded by the writers' lock.
///
/// Each commit stores the step's token under the member's own key. After an uncertain answer that record says whether
/// the commit was done: nobody else writes it, and no other step of this member follows before that is known, or the
/// step is given up.
final class HostSteps {
    /// A step that was given up before its fate could be read.
    struct Open {
        let token: StepToken
        /// The version that it was made for: once there is a newer one it cannot be done any more.
        let version: UInt64
        let message: SentTokens.Sent?
    }

    /// The token's key; nil before it is a member and afterwards. Then steps are such that making them twice does no harm.
    var key: [UInt8]?
    /// Whether the record is there, unless another member has taken this one for dead.
    private(set) var hasRecord = false
    private(set) var open: [Open] = []
    let sent = SentTokens()
    /// The keys that the last step read one by one.
    var usualKeys: [[UInt8]] = []
    private var next: StepToken?

    /// The token of the next commit: the same until it has been used.
    var token: StepToken {
        if let next { return next }
        let fresh = StepToken()
        next = fresh
        return fresh
    }

    /// The step with the token was done. Those that are open were not, because it was made for the same version.
    func didCommit() {
        next = nil
        open = []
        hasRecord = key != nil
    }

    /// Gives the step with the token up.
    func giveUp(at version: UInt64, _ message: SentTokens.Sent?) {
        open.append(Open(token: token, version: version, message: message))
        next = nil
    }

    /// Decides on the open steps by the token that is stored when the newest commit is `version`.
    func resolve(version: UInt64, stored: StepToken?) {
        for step in open where step.token == stored {
            if let message = step.message { sent.add(message) }
        }
        open.removeAll { $0.token == stored || version > $0.version }
    }
}
