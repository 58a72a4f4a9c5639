/// The kinds of request.
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

    /// The most kinds that there may be: their bits have room in the word of a bus's ``Interceptors``.
    static var maximumCount: Int { 11 }

    /// The bits of all kinds.
    static var allBits: UInt { allCases.reduce(0) { $0 | $1.bit } }

    /// Its bit in a set of kinds: 1 for the first.
    @inline(__always)
    package var bit: UInt { 1 << UInt(truncatingIfNeeded: rawValue) }

    /// Whether its requests have a URL in place of two names.
    @inline(__always)
    package var hasURL: Bool { self == .open }

    /// Whether a handler that returns without an answer has succeeded.
    @inline(__always)
    package var takesSilenceForSuccess: Bool { self == .open || self == .event || self == .activity }

    /// The name in statistics.
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
