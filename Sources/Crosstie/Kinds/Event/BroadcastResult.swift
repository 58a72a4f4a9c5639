/// The result of an event.
public struct BroadcastResult: Sendable {
    /// How many components have the event.
    public internal(set) var count = 0
    /// Whether one of them answered true.
    public internal(set) var any = false
    /// Those that failed.
    public internal(set) var failures: [BroadcastFailure] = []
}

/// A component that failed an event.
public struct BroadcastFailure: Sendable {
    public let component: String
    public let status: Status
    public let code: Int32
    public let message: String
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

extension BroadcastFailure {
    fileprivate var value: Value {
        [
            "component": .string(component), "status": .int(Int64(status.rawValue)), "code": .int(Int64(code)),
            "message": .string(message),
        ]
    }

    fileprivate init?(_ value: Value) {
        guard case .map(let map) = value, case .string(let component)? = map["component"],
            case .int(let status)? = map["status"], case .int(let code)? = map["code"],
            case .string(let message)? = map["message"]
        else { return nil }
        self.init(
            component: component, status: Status(rawValue: Int32(clamping: status)), code: Int32(clamping: code),
            message: message)
    }
}
