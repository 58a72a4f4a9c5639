/// A change among the peers of a join.
public enum PeerEvent: Int32, Sendable {
    case joined = 1
    case left = 2
    /// Its exports are others.
    case changed = 3
}
