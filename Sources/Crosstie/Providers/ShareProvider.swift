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
