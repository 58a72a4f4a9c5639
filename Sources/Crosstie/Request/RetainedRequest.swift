/// A request kept beyond its handler's return.
public final class RetainedRequest: Sendable {
    public let request: Request

    init(_ request: Request) { self.request = request }

    deinit { _ = RequestBlock.release(request.handle) }
}
