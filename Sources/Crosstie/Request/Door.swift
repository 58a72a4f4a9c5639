/// The doors by which requests come.
public enum Door: Int32, Sendable, CaseIterable {
    /// A URL was opened.
    case open = 0
    /// A component was called.
    case call = 1
    /// An event was broadcast.
    case event = 2
    /// A target was performed.
    case perform = 3

    /// Its place in a set of doors: 1 for the first.
    @inline(__always)
    package var bit: UInt { 1 << UInt(truncatingIfNeeded: rawValue) }

    /// Whether a handler that returns without an answer has succeeded.
    @inline(__always)
    var takesSilenceForSuccess: Bool { self == .open || self == .event }

    /// As statistics call it.
    package var name: String {
        switch self {
        case .open: "open"
        case .call: "call"
        case .event: "event"
        case .perform: "perform"
        }
    }

    /// What a request ends with that everybody has declined.
    var nobodyLeft: Status {
        switch self {
        case .open: .noRoute
        case .call, .event: .noAction
        case .perform: .noTarget
        }
    }
}
