import CCrosstie
import Crosstie
import CrosstieWormhole

extension ServerOptions {
    init(_ given: ctie_wormhole_options) throws(CrosstieError) {
        self.init()
        guard given.reserved == 0 else {
            throw CrosstieError(.invalidArgument, "reserved is not 0", at: "options.reserved")
        }
        let all = [
            try text(given.user, "user"), try text(given.password, "password"), try text(given.token, "token"),
            try text(given.nkey_seed, "nkey_seed"), try text(given.credentials, "credentials"),
            try text(given.tls_ca, "tls_ca"), try text(given.tls_certificate, "tls_certificate"),
            try text(given.tls_key, "tls_key"),
        ]
        if !all.allSatisfy(\.isEmpty) { texts = all }
        if given.replicas != 0 { replicas = Int(given.replicas) }
        maximumAgeMilliseconds = given.max_age_ms
        mayBeOffline = given.flags & UInt32(CTIE_WORMHOLE_OFFLINE) != 0
    }
}

/// A text of at most the size that is allowed.
private func text(_ given: ctie_str, _ name: StaticString) throws(CrosstieError) -> String {
    given.size == 0 ? "" : try string(given, named: name, limit: ServerOptions.maximumSize)
}
