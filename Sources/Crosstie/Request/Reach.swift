/// The buses that a call may run on.
public enum Reach: Sendable, Equatable {
    /// The bus itself; where it lacks the component, a peer that exports it.
    case any
    /// The bus itself.
    case here
    /// A peer, by its name or number; empty for any.
    case elsewhere(String)
}
