/// Takes URLs that no route and no rule takes.
public protocol OpenURLProvider: Provider {
    /// The scheme of its URLs, in any case.
    var appID: String { get }
    /// By default whether the URL's scheme is ``appID``.
    func canOpen(_ url: String) -> Bool
    func open(_ url: String, _ request: Request) throws -> Value?
}

extension OpenURLProvider {
    public func canOpen(_ url: String) -> Bool {
        let scheme = SchemeName.lowerCase(appID) + ":"
        return url.utf8.starts(with: scheme.utf8)
    }
}
