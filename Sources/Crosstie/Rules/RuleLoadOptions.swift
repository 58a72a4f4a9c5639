/// The host's options for loading a document.
package struct RuleLoadOptions: Sendable {
    /// The four lists of a document in the older form, which has none of its own. Other documents bring theirs.
    package var lists: RuleLists
    /// The platform whose targets are used if a rule has several; empty for this one, "linux".
    package var platform: String

    package init(
        publicSchemes: [String] = [], privateSchemes: [String] = [], routeHosts: [String] = [],
        webHosts: [String] = [], platform: String = ""
    ) {
        lists = RuleLists(
            publicSchemes: publicSchemes, privateSchemes: privateSchemes, routeHosts: routeHosts, webHosts: webHosts)
        self.platform = platform
    }
}

/// The schemes and hosts that a document's rules are for.
package struct RuleLists: Sendable, Equatable {
    /// Schemes that every origin may use.
    package var publicSchemes: [String] = []
    /// Schemes that the host alone may use.
    package var privateSchemes: [String] = []
    /// The hosts of rules.
    package var routeHosts: [String] = []
    /// The hosts of web links.
    package var webHosts: [String] = []
}
