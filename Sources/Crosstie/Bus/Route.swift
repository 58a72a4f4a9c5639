/// A route as listings describe it.
public struct Route: Hashable, Sendable {
    public let pattern: String
    /// Empty for none.
    public let name: String
    public let remark: String
    public let isPublic: Bool
    public let isWorkerOnly: Bool
    /// The id of the rule that it is for; empty for none.
    public let rule: String
    /// The number of starts of its handler; nil on a bus that does not count.
    public let hits: Int64?
}

extension UnsafeMutablePointer where Pointee == RegistrationRecord {
    var route: Route? { route(ofRule: nil) }

    /// The route as listings describe it.
    func route(ofRule rule: String?) -> Route? {
        guard let info = pointee.pattern else { return nil }
        return Route(
            pattern: String(decoding: info.text, as: UTF8.self), name: info.routeName,
            remark: String(decoding: info.remark, as: UTF8.self), isPublic: pointee.isPublic,
            isWorkerOnly: pointee.traits.contains(.workerOnly), rule: rule ?? "", hits: pointee.hits)
    }
}
