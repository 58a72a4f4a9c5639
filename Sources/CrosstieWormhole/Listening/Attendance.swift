/// How far looking after a listener has come. Guarded by the table.
enum Attendance {
    /// It has been told of everything that its wormhole's thread knows of.
    case idle
    /// It stands among those to be looked after.
    case due
    /// The thread has taken it from there.
    case taken
    /// A job stands in its loop or dispatcher.
    case posted
    /// A thread collects for it or calls it.
    case attended
    /// The same, and there is something newer.
    case attendedAgain
    /// Nothing could be collected, or there was no room for the job: to be tried again.
    case refused
    /// Its bus has closed.
    case deaf
}
