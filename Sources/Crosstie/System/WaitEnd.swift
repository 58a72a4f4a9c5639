/// The end of a wait.
enum WaitEnd {
    /// The event has come.
    case over
    /// The deadline came first.
    case late
    /// The host does not want this thread to wait any longer.
    case unwanted
}
