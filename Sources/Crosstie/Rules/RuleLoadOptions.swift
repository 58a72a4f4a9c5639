/// What the host says when it loads a document.
package struct RuleLoadOptions: Sendable {
    /// The four lists of a document in the older form, which has none of its own. Other documents bring theirs.
    package var lists: RuleLists
    /// Whose targets are taken of a rule that has several; empty for this one, "linux".
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
