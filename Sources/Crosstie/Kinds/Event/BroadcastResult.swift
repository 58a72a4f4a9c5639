/// The result of an event.
public struct BroadcastResult: Sendable {
    /// The number of components that have the event.
    public internal(set) var count = 0
    /// Whether one of them answered true.
    public internal(set) var any = false
    /// Those that failed.
    public internal(set) var failures: [BroadcastFailure] = []
}

extension BroadcastResult {
    /// As other languages get it.
    package var value: Value {
        ["count": .int(Int64(count)), "any": .bool(any), "failures": .list(failures.map(\.value))]
    }

    /// The result of a request in which an event was run: see ``Bus/broadcastAsync(_:_:options:completion:)``. Nil for
    /// another response, or one of failure.
    public init?(_ response: Response) {
        guard response.status.isSuccess, case .map(let map) = response.value, case .int(let count)? = map["count"],
            case .bool(let any)? = map["any"], case .list(let failures)? = map["failures"]
        else { return nil }
        (self.count, self.any) = (Int(clamping: count), any)
        self.failures = failures.compactMap(BroadcastFailure.init)
    }
}
