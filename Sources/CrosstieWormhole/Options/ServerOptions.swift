/// The log-in to the server of an address, its TLS, and the limits of what it keeps. Only for a group with an address.
///
/// At most one log-in is given: here, or in the address. Its secrets are in no error, log line or description. An empty
/// text is none.
public struct ServerOptions: Sendable {
    /// The path of a credentials file: a signed token of the user, and the seed of its key.
    public var credentials: String? {
        get { text(4) }
        set { set(4, newValue) }
    }
    /// The seed of a key, `SU…`.
    public var nkeySeed: String? {
        get { text(3) }
        set { set(3, newValue) }
    }
    /// A token.
    public var token: String? {
        get { text(2) }
        set { set(2, newValue) }
    }
    /// The name of a user; with ``password``.
    public var user: String? {
        get { text(0) }
        set { set(0, newValue) }
    }
    /// The password of ``user``.
    public var password: String? {
        get { text(1) }
        set { set(1, newValue) }
    }
    /// The path of a file of trusted certificates, for an address with `tls://`; nil: those of the system.
    public var tlsAuthority: String? {
        get { text(5) }
        set { set(5, newValue) }
    }
    /// The path of this program's own certificate, likewise; with ``tlsKey``.
    public var tlsCertificate: String? {
        get { text(6) }
        set { set(6, newValue) }
    }
    /// The path of its key.
    public var tlsKey: String? {
        get { text(7) }
        set { set(7, newValue) }
    }
    /// The copies of the group that servers of a cluster keep, 1 to 5; nil: 1. The process that creates the group decides
    /// this and the next one.
    public var replicas: Int?
    /// The age at which the server drops a message; nil: none.
    public var maximumAge: Duration? {
        get { maximumAgeMilliseconds == 0 ? nil : .milliseconds(maximumAgeMilliseconds) }
        set { maximumAgeMilliseconds = newValue.map { max($0.wholeMilliseconds, 1) } ?? 0 }
    }
    /// Opens the group also while the server cannot be reached, which is connected to later.
    public var mayBeOffline = false
    /// As C has it: 0 for nil.
    package var maximumAgeMilliseconds: UInt64 = 0
    /// The texts, in the order of an engine's: user, password, token, nkey_seed, credentials, tls_ca, tls_certificate,
    /// tls_key. One array for all, so that options are cheap to copy; empty without any.
    package var texts: [String] = []

    public init() {}

    package static var textCount: Int { 8 }

    private func text(_ index: Int) -> String? { texts.isEmpty || texts[index].isEmpty ? nil : texts[index] }

    private mutating func set(_ index: Int, _ text: String?) {
        if texts.isEmpty { texts = [String](repeating: "", count: ServerOptions.textCount) }
        texts[index] = text ?? ""
    }
}

/// Without the secrets, which reflection would show.
extension ServerOptions: CustomStringConvertible {
    public var description: String { "ServerOptions" }
}
