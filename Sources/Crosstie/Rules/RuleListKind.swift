/// Schemes that mean something to everybody and can never be an application's own: the web and its relatives, local
/// files, code in a URL, what browsers keep for themselves, and what every system hands to a program of its own.
package let reservedSchemes: Set<String> = [
    "http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "telnet", "ldap", "ldaps",
    "file", "filesystem", "content", "resource", "jar",
    "javascript", "vbscript", "livescript", "data", "blob",
    "about", "chrome", "chrome-extension", "moz-extension", "edge", "view-source", "intent",
    "mailto", "tel", "sms", "geo", "cid", "mid", "urn", "news", "nntp",
]

/// One of the four lists.
enum RuleListKind: String, CaseIterable {
    case publicSchemes, privateSchemes, routeHosts, webHosts

    /// Reads a list and checks each entry by itself.
    func read(_ value: Value) throws(CrosstieError) -> [String] {
        var texts: [String] = []
        for (index, item) in try value.list().enumerated() {
            do throws(CrosstieError) {
                guard index < RuleLimits.entries else {
                    throw CrosstieError(.limitExceeded, "the list has over \(RuleLimits.entries) entries")
                }
                let text = try item.text()
                try check(text)
                guard !texts.contains(text) else {
                    throw CrosstieError(.duplicateKey, "\(Quotation.quoted(text)) occurs twice")
                }
                texts.append(text)
            } catch {
                throw error.under(index: index)
            }
        }
        return texts
    }

    private func check(_ text: String) throws(CrosstieError) {
        switch self {
        case .publicSchemes, .privateSchemes: try Self.check(scheme: text)
        case .routeHosts: try Self.check(host: text, web: false)
        case .webHosts: try Self.check(host: text, web: true)
        }
    }

    private static func check(scheme: String) throws(CrosstieError) {
        if let problem = SchemeName.problem(in: scheme) {
            throw CrosstieError(SchemeName.status(of: problem, else: .invalidFormat), problem.message)
        }
        guard isLowerCase(scheme) else { throw CrosstieError(.invalidFormat, "a scheme is written in lower case") }
        guard !reservedSchemes.contains(scheme) else {
            throw CrosstieError(.invalidFormat, "\(Quotation.quoted(scheme)) cannot be an application's own scheme")
        }
    }

    /// The host must be in normal form, as URLs are compared.
    private static func check(host: String, web: Bool) throws(CrosstieError) {
        guard !host.isEmpty else { throw CrosstieError(.invalidFormat, "the host is empty") }
        let problem = Array(host.utf8).withUnsafeBytes { HostName.problem(in: $0, web: web) }
        if let problem {
            let failure = ParseFailure(problem.reason, at: problem.position).error
            throw CrosstieError(
                problem.reason == .hostTooLong ? .limitExceeded : .invalidFormat,
                "\(failure.message), at \(failure.location)")
        }
        guard isLowerCase(host) else { throw CrosstieError(.invalidFormat, "a host is written in lower case") }
    }

    private static func isLowerCase(_ text: String) -> Bool { text.utf8.allSatisfy { ASCII.lower($0) == $0 } }
}

extension RuleLists {
    subscript(kind: RuleListKind) -> [String] {
        get {
            switch kind {
            case .publicSchemes: publicSchemes
            case .privateSchemes: privateSchemes
            case .routeHosts: routeHosts
            case .webHosts: webHosts
            }
        }
        set {
            switch kind {
            case .publicSchemes: publicSchemes = newValue
            case .privateSchemes: privateSchemes = newValue
            case .routeHosts: routeHosts = newValue
            case .webHosts: webHosts = newValue
            }
        }
    }
}
