/// The fate of a step on a host's transport, by the record of the member's newest step.
enum HostFate {
    case done
    /// It never will be.
    case conflict
    /// Not yet: it may be under way.
    case open
    /// Nobody can say: another member has taken this one for dead, and removed the record.
    case lost

    /// - Parameters:
    ///   - version: the newest commit when the step was made.
    ///   - newest: the newest commit before the record was read: once it is newer, the step cannot be done any more.
    ///   - stored: the token in the record; nil if there is no record.
    init(of token: StepToken, madeFor version: UInt64, newest: UInt64, stored: StepToken?) {
        if stored == token {
            self = .done
        } else if newest <= version {
            self = .open
        } else if stored == nil, newest > version &+ 1 {
            // The first of several commits may have been the step, and another one of them the removal.
            self = .lost
        } else {
            self = .conflict
        }
    }
}
