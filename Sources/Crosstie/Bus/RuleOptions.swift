/// Options for reading a rule document.
public struct RuleOptions: Sendable {
    /// Which of a rule's targets counts; empty for "linux".
    public var platform: String
    /// The lists of a document of the older form, which has none.
    public var publicSchemes: [String]
    public var privateSchemes: [String]
    public var routeHosts: [String]
    public var webHosts: [String]

    public init(
        platform: String = "", publicSchemes: [String] = [], privateSchemes: [String] = [],
        routeHosts: [String] = [], webHosts: [String] = []
    ) {
        self.platform = platform
        (self.publicSchemes, self.privateSchemes) = (publicSchemes, privateSchemes)
        (self.routeHosts, self.webHosts) = (routeHosts, webHosts)
    }

    var reading: RuleLoadOptions {
        RuleLoadOptions(
            publicSchemes: publicSchemes, privateSchemes: privateSchemes, routeHosts: routeHosts, webHosts: webHosts,
            platform: platform)
    }
}
