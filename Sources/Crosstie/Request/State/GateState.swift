import Synchronization

/// The states of the ``Gate`` between an interceptor and the stages behind it.
enum GateState: UInt8, AtomicRepresentable {
    /// No interceptor has had the request.
    case none
    /// An interceptor is running, and has not let the request go on.
    case running
    /// The interceptor that is running has let the request go on.
    case granted
    /// The interceptor has returned and keeps the request.
    case kept
    /// A thread is letting the request go on, or is changing the stages behind.
    case claimed
    /// The request has passed.
    case passed
    /// The interceptor has returned, and its thread is about to leave the request to those that retain it.
    case leaving
}
