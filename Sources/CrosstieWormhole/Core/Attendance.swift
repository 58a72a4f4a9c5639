/// The progress of attending to a listener. Guarded by the table.
enum Attendance {
    /// It has got everything that its wormhole's thread knows of.
    case idle
    /// It is among those to be attended to.
    case due
    /// The thread has taken it from there.
    case taken
    /// A job is queued in its loop or dispatcher.
    case queued
    /// A thread collects for it or calls it.
    case attended
    /// The same, and there is something newer.
    case attendedAgain
    /// Nothing could be collected, or there was no room for the job: to be tried again.
    case refused
    /// Its bus has closed.
    case deaf
}
