/// A component that failed an event.
public struct BroadcastFailure: Sendable {
    public let component: String
    public let status: Status
    public let code: Int32
    public let message: String
}

extension BroadcastFailure {
    var value: Value {
        [
            "component": .string(component), "status": .int(Int64(status.rawValue)), "code": .int(Int64(code)),
            "message": .string(message),
        ]
    }

    init?(_ value: Value) {
        guard case .map(let map) = value, case .string(let component)? = map["component"],
            case .int(let status)? = map["status"], case .int(let code)? = map["code"],
            case .string(let message)? = map["message"]
        else { return nil }
        self.init(
            component: component, status: Status(rawValue: Int32(clamping: status)), code: Int32(clamping: code),
            message: message)
    }
}
