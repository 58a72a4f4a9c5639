/// Checks of the options of a server.
extension WormholeOptions {
    /// - Parameter address: nil for a group on this machine.
    func check(for address: ServerAddress?) throws(CrosstieError) {
        guard let address else {
            guard server.isUnused else {
                throw CrosstieError(
                    .invalidArgument, "log-ins, TLS, replicas, max_age and offline are for a group with an address",
                    at: "options")
            }
            return
        }
        try checkIsAlone()
        try server.checkTexts()
        try server.checkLogin(beside: address.login)
        try server.checkTLS(address.scheme)
        try server.checkLimits()
    }

    /// Throws for options of a group on this machine.
    private func checkIsAlone() throws(CrosstieError) {
        guard transport == nil, engine == nil, directory == nil, flags == 0, !isInMemory, !mustExist,
            !allowsAnyFileSystem
        else {
            throw CrosstieError(
                .invalidArgument, "beside an address there is no directory, transport, engine or flag of a store",
                at: "options")
        }
        let isOfStore =
            mapSize != WormholeOptions().mapSize || maximumMapSize != nil || retainMilliseconds != nil
            || retainCount != nil || retainSize != nil
        guard !isOfStore else {
            throw CrosstieError(
                .unsupported, "a group on a server has no store of a size, and retains nothing", at: "options")
        }
    }
}

extension ServerOptions {
    fileprivate var isUnused: Bool {
        texts.allSatisfy(\.isEmpty) && replicas == nil && maximumAgeMilliseconds == 0 && !mayBeOffline
    }

    private static var names: [StaticString] {
        [
            "user", "password", "token", "nkey_seed", "credentials", "tls_ca", "tls_certificate", "tls_key",
        ]
    }

    fileprivate func checkTexts() throws(CrosstieError) {
        for index in texts.indices where !texts[index].isEmpty {
            let (text, name) = (Array(texts[index].utf8), ServerOptions.names[index])
            guard text.count <= ServerOptions.maximumSize else {
                throw CrosstieError(
                    .limitExceeded, "\(name) is over \(ServerOptions.maximumSize) bytes", at: "options.\(name)")
            }
            guard ServerText.isUsable(text) else {
                throw CrosstieError(.invalidArgument, "\(name) has a control character", at: "options.\(name)")
            }
        }
    }

    private func isGiven(_ index: Int) -> Bool { !texts.isEmpty && !texts[index].isEmpty }

    fileprivate func checkLogin(beside login: ServerLogin) throws(CrosstieError) {
        guard isGiven(0) == isGiven(1) else {
            throw CrosstieError(.invalidArgument, "user and password are given together", at: "options.user")
        }
        var count = login.isEmpty ? 0 : 1
        for index in 1...4 where isGiven(index) { count += 1 }
        guard count <= 1 else {
            throw CrosstieError(.invalidArgument, "there are several log-ins, of which one is given", at: "options")
        }
    }

    fileprivate func checkTLS(_ scheme: ServerScheme) throws(CrosstieError) {
        guard scheme.usesTLS || !isGiven(5) && !isGiven(6) && !isGiven(7) else {
            throw CrosstieError(.invalidArgument, "certificates are for an address with tls://", at: "options.tls_ca")
        }
        guard isGiven(6) == isGiven(7) else {
            throw CrosstieError(
                .invalidArgument, "tls_certificate and tls_key are given together", at: "options.tls_certificate")
        }
    }

    /// Whether a password or a token is among them.
    fileprivate var areSecret: Bool { isGiven(1) || isGiven(2) }

    fileprivate func checkLimits() throws(CrosstieError) {
        if let replicas, !(1...5).contains(replicas) {
            throw CrosstieError(.limitExceeded, "replicas are 1 to 5, not \(replicas)", at: "options.replicas")
        }
        guard maximumAgeMilliseconds <= SendOptions.longestDelay else {
            throw CrosstieError(.limitExceeded, "a message is kept for 100 years at most", at: "options.max_age_ms")
        }
    }

    /// The limit of a text.
    package static var maximumSize: Int { 4095 }
}

extension ServerAddress {
    /// The warning for a log-in that others on the way could read; nil if there is none to give.
    func warning(_ options: ServerOptions) -> String? {
        let isSecret = !login.isEmpty || options.areSecret
        guard isSecret, !scheme.usesTLS, !hosts.areLocal else { return nil }
        return "the log-in to \(Quotation.shown(hosts.text)) is sent without TLS: use tls://"
    }
}
