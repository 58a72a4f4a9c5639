/// Takes up user activities.
public protocol ActivityProvider: Provider {
    /// An http or https URL: its origin, and its path or one below, are those of the web pages it takes up.
    var universalLink: String { get }
    /// By default whether it is about browsing the web, at such a page.
    func canOpen(activity: Value) -> Bool
    func open(activity: Value, _ request: Request) throws -> Value?
}

extension ActivityProvider {
    public func canOpen(activity: Value) -> Bool { UniversalLink(universalLink)?.claims(activity) == true }
}
