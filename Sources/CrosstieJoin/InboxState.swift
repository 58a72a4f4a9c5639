/// The way in which the receiving end notices a frame. A sender that finds another state than *awake* changes it to that, and wakes.
enum InboxState: UInt32 {
    /// It looks again by itself. At first nobody looks.
    case awake
    /// By a packet of the socket.
    case polls
    /// By a wake on this word.
    case sleeps
}
