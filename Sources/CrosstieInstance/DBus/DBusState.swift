/// The state of an application's name on the session bus.
package struct DBusState: Sendable {
    /// *ok* while this process has the name, *pending* while it asks for it; otherwise why it has none.
    package let status: Status
    package let reason: String

    init(_ status: Status, _ reason: String = "") { (self.status, self.reason) = (status, reason) }

    static var owned: DBusState { DBusState(.ok) }
    static var asking: DBusState { DBusState(.pending) }
    static var noBus: DBusState { DBusState(.notFound, "there is no session bus") }
    static var unwanted: DBusState { DBusState(.notFound, "the claim does not use D-Bus") }
    static var notFirst: DBusState { DBusState(.notFound, "this process is not the first instance") }
    static var unusable: DBusState { DBusState(.invalidIdentifier, "the application's name is not a name of D-Bus") }
    static var ended: DBusState { DBusState(.peerGone, "the session bus has ended") }
    static var silent: DBusState { DBusState(.timedOut, "the session bus does not answer") }
    static var refused: DBusState { DBusState(.denied, "the session bus refuses the name") }
    static var conflict: DBusState { DBusState(.conflict, "another process has the name on the session bus") }

    /// A usual state, or one that the host expects, is no warning.
    var level: LogLevel {
        switch status {
        case .ok, .pending: .debug
        case .notFound, .notInstalled, .invalidIdentifier: .info
        default: .warning
        }
    }
}
