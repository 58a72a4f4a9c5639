/// The result of looking up a handle.
package enum Resolved<Record: ~Copyable> {
    case live(UnsafeMutablePointer<Record>)
    /// Stale, foreign, garbage or null.
    case dead
    /// Made before a fork of this process.
    case forked

    /// The status that a function answers for a handle that is not live.
    package var status: Status {
        switch self {
        case .live: .ok
        case .dead: .invalidHandle
        case .forked: .forked
        }
    }
}
