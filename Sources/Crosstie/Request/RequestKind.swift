/// The kinds by which requests come.
public enum RequestKind: Int32, Sendable, CaseIterable {
    /// A URL was opened.
    case open = 0
    /// A component was called.
    case call = 1
    /// An event was broadcast.
    case event = 2
    /// A target was performed.
    case perform = 3
    /// A message was shared.
    case share = 4
    /// A sign-in was asked for.
    case oauth = 5
    /// A program was launched.
    case launch = 6
    /// A user activity came.
    case activity = 7

    /// Its place in a set of kinds: 1 for the first.
    @inline(__always)
    package var bit: UInt { 1 << UInt(truncatingIfNeeded: rawValue) }

    /// Whether a handler that returns without an answer has succeeded.
    @inline(__always)
    package var takesSilenceForSuccess: Bool { self == .open || self == .event || self == .activity }

    /// As statistics call it.
    package var name: String {
        switch self {
        case .open: "open"
        case .call: "call"
        case .event: "event"
        case .perform: "perform"
        case .share: "share"
        case .oauth: "oauth"
        case .launch: "launch"
        case .activity: "activity"
        }
    }
}
