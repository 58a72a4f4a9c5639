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
