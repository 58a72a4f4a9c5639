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
