/// The handler that would open a URL.
public enum OpenedBy: Int32, Sendable {
    /// Nobody; it is malformed, denied, or unknown.
    case none = 0
    /// A route or a rule of the bus, or its handler of the unmatched.
    case route = 1
    /// A provider that claims it.
    case provider = 2
    /// The system opener.
    case system = 3
    /// Another process, of a bus that is joined to a group.
    case peer = 4
}
