/// A connection to another application or service. It has the capabilities of the protocols below that it adopts.
///
/// Its methods answer as handlers do: by what they return, reply, refuse or throw, at once or later. With
/// ``Request/refuse(_:_:)`` and *userCancelled* one says that the user did not want to, with *unknownAnswer* that the
/// service's answer could not be understood; ``Request/decline()`` lets the next provider try. They run on any thread,
/// several at a time.
public protocol Provider: Sendable {
    /// Unique on its bus: a letter or `_`, then letters, digits, `_ . -`; at most 128 bytes.
    var name: String { get }
    /// Whether URLs and activities of remote origin reach it.
    var isPublic: Bool { get }
    /// Asked before it shares, signs in or launches.
    var isInstalled: Bool { get }
    /// Likewise: whether what is installed is new enough.
    var isSupported: Bool { get }
}

extension Provider {
    public var isPublic: Bool { false }
    public var isInstalled: Bool { true }
    public var isSupported: Bool { true }
}

/// Shares messages.
public protocol ShareProvider: Provider {
    /// Where to, and the kinds of message that go there; for none of them those of ``ShareKind/kinds(for:)``.
    var endpoints: [Endpoint: Set<ShareKind>] { get }
    /// By default whether the endpoint is in the list.
    func canShare(to endpoint: Endpoint) -> Bool
    /// - Parameter message: a map, which has the fields of its kind.
    func share(_ message: Value, to endpoint: Endpoint, _ request: Request) throws -> Value?
}

extension ShareProvider {
    public func canShare(to endpoint: Endpoint) -> Bool { endpoints[endpoint] != nil }
}

/// Signs in.
public protocol OauthProvider: Provider {
    var platform: Platform { get }
    /// By default whether the platform is this one's.
    func canOauth(with platform: Platform) -> Bool
    /// Answers a map of texts, under ``InfoKey``s. Empty ones are dropped; if none is left the sign-in is *unknownAnswer*.
    ///
    /// - Parameter parameters: what it is asked for: a map, or null.
    func oauth(_ parameters: Value, _ request: Request) throws -> Value?
}

extension OauthProvider {
    public func canOauth(with platform: Platform) -> Bool { platform == self.platform }
}

/// Launches programs.
public protocol LaunchProvider: Provider {
    var platform: Platform { get }
    /// By default whether the platform is this one's.
    func canLaunch(on platform: Platform) -> Bool
    /// - Parameter program: a map that it understands, or null.
    func launch(_ program: Value, _ request: Request) throws -> Value?
}

extension LaunchProvider {
    public func canLaunch(on platform: Platform) -> Bool { platform == self.platform }
}

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
