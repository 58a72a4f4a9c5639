/// A provider as listings describe it.
public struct ProviderDescription: Sendable {
    public let name: String
    public let isPublic: Bool
    /// The kinds that it serves; ``RequestKind/open`` for URLs.
    public let capabilities: [RequestKind]
    /// Where it shares to, with the kinds of message that go there.
    public let endpoints: [(endpoint: Endpoint, kinds: [ShareKind])]
    /// Empty for none, as the next two.
    public let platform: Platform
    public let appID: String
    public let universalLink: String

    init(_ content: ProviderContent) {
        name = content.name
        isPublic = content.isPublic
        capabilities = content.capabilities
        endpoints = content.endpoints.map { each in
            let endpoint = Endpoint(rawValue: each.endpoint)
            let own = each.kinds.map(ShareKind.init(rawValue:))
            return (endpoint, own.isEmpty ? ShareKind.kinds(for: endpoint) : own)
        }
        platform = Platform(rawValue: content.platform)
        appID = content.appID
        universalLink = content.universalLink
    }
}
