/// The origin of a request.
public enum Origin: Int32, Sendable {
    /// A browser, a push message, another application: public routes only.
    case remote = 0
    /// The host's own code.
    case local = 1
}
