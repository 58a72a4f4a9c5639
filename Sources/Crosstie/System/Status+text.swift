internal import CCrosstie

extension Status: CustomStringConvertible {
    /// The name as it is written in C, such as "CTIE_E_TIMEOUT".
    public var name: String { String(cString: ctie_status_name(rawValue)) }

    /// A short sentence.
    public var message: String { String(cString: ctie_status_message(rawValue)) }

    public var description: String { name }

    /// The integer code that responses carry, in the numbering that applications extend. Success is 1, no such request
    /// 10001, timeout 10002, already ended 10003, cancelled 10004. Component not found is 20001, its name empty 20002, not
    /// a component 30001, no such action 30002, *unknownAnswer* -1. Any other status is 40000 less its number, and a
    /// number that is no status is -1.
    public var code: Int32 {
        switch self {
        case .ok: 1
        case .invalidHandle: 10001
        case .timedOut: 10002
        case .alreadyDone: 10003
        case .cancelled: 10004
        case .noComponent: 20001
        case .noName: 20002
        case .notAComponent: 30001
        case .noAction: 30002
        case .unknownAnswer: -1
        default: isKnown ? 40000 &- rawValue : -1
        }
    }

    /// True for the statuses of the list.
    package var isKnown: Bool { rawValue <= Status.pending.rawValue && rawValue >= Int32(CTIE_STATUS_LAST_) }
}
