/// The priority of a queued asynchronous request; of equal ones, those submitted first run first.
public enum Priority: Int32, Sendable {
    case low = -1
    case normal = 0
    case high = 1
}
