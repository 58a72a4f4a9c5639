/// The kind of a message. The numbers are those of `CTIE_MESSAGE_…` and are in stored records.
public enum MessageKind: Int32, Sendable {
    /// Initial delivery: nothing is stored.
    case none = 0
    /// A value was sent.
    case value = 1
    /// A signal was sent.
    case signal = 2
    /// The message was removed, with all messages queued before.
    case destroyed = 3
    /// Queue: ``Message/missed`` messages were lost before delivery.
    case missed = 4
    /// Presence: a member has joined the group.
    case joined = 5
    /// Presence: a member has left the group.
    case left = 6
    /// The connection to the server has changed its state; the value is the new one.
    case connection = 7

    /// Whether records of this kind are in the store.
    var isStored: Bool { self == .value || self == .signal || self == .destroyed }
}

/// By name, also where the types have no reflection: the tool prints it.
extension MessageKind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .none: "none"
        case .value: "value"
        case .signal: "signal"
        case .destroyed: "destroyed"
        case .missed: "missed"
        case .joined: "joined"
        case .left: "left"
        case .connection: "connection"
        }
    }
}
