/// How to log in to the server of an address, and what it keeps. Only for a group with an address.
///
/// At most one log-in is given: here, or in the address. Its secrets are in no error, log line or description.
public struct ServerOptions: Sendable {
    /// The path of a credentials file: a signed token of the user, and the seed of its key.
    public var credentials: String?
    /// The seed of a key, `SU…`.
    public var nkeySeed: String?
    /// A token.
    public var token: String?
    /// The name of a user; with ``password``.
    public var user: String?
    /// The password of ``user``.
    public var password: String?
    /// The path of a file of trusted certificates, for an address with `tls://`; nil: those of the system.
    public var tlsAuthority: String?
    /// The path of this program's own certificate, likewise; with ``tlsKey``.
    public var tlsCertificate: String?
    /// The path of its key.
    public var tlsKey: String?
    /// The copies of the group that servers of a cluster keep, 1 to 5; nil: 1. The process that creates the group decides
    /// this and the next one.
    public var replicas: Int?
    /// How long the server keeps a message; nil: as long as there is room.
    public var maximumAge: Duration? {
        get { maximumAgeMilliseconds == 0 ? nil : .milliseconds(maximumAgeMilliseconds) }
        set { maximumAgeMilliseconds = newValue.map { max($0.wholeMilliseconds, 1) } ?? 0 }
    }
    /// Opens the group also while the server cannot be reached, which is connected to later.
    public var mayBeOffline = false
    /// As C has it: 0 for nil.
    package var maximumAgeMilliseconds: UInt64 = 0

    public init() {}
}

/// Without the secrets, which reflection would show.
extension ServerOptions: CustomStringConvertible {
    public var description: String { "ServerOptions" }
}
