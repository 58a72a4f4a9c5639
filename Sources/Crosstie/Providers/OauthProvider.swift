/// Signs in.
public protocol OauthProvider: Provider {
    var platform: Platform { get }
    /// By default whether the platform is this one's.
    func canOauth(with platform: Platform) -> Bool
    /// Answers a map of texts, under ``InfoKey``s. Empty ones are dropped; if none is left the sign-in is *unknownAnswer*.
    ///
    /// - Parameter parameters: the parameters of the request: a map, or null.
    func oauth(_ parameters: Value, _ request: Request) throws -> Value?
}

extension OauthProvider {
    public func canOauth(with platform: Platform) -> Bool { platform == self.platform }
}
