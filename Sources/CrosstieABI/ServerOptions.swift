import CCrosstie
import Crosstie
import CrosstieWormhole

extension ServerOptions {
    init(_ given: ctie_wormhole_options) throws(CrosstieError) {
        self.init()
        guard given.reserved == 0 else {
            throw CrosstieError(.invalidArgument, "reserved is not 0", at: "options.reserved")
        }
        credentials = try optional(given.credentials, named: "credentials")
        nkeySeed = try optional(given.nkey_seed, named: "nkey_seed")
        token = try optional(given.token, named: "token")
        user = try optional(given.user, named: "user")
        password = try optional(given.password, named: "password")
        tlsAuthority = try optional(given.tls_ca, named: "tls_ca")
        tlsCertificate = try optional(given.tls_certificate, named: "tls_certificate")
        tlsKey = try optional(given.tls_key, named: "tls_key")
        if given.replicas != 0 { replicas = Int(given.replicas) }
        maximumAgeMilliseconds = given.max_age_ms
        mayBeOffline = given.flags & UInt32(CTIE_WORMHOLE_OFFLINE) != 0
    }
}

/// Nil for an empty text.
private func optional(_ given: ctie_str, named name: StaticString) throws(CrosstieError) -> String? {
    let text = try string(given, named: name, limit: ServerOptions.maximumSize)
    return text.isEmpty ? nil : text
}
