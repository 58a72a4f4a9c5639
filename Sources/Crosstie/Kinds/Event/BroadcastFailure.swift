/// A component that failed an event.
public struct BroadcastFailure: Sendable {
    /// Empty for a peer that has given no result.
    public let component: String
    public let status: Status
    public let code: Int32
    public let message: String
    /// The peer's name, of a component in another process; else empty.
    public let peer: String

    init(component: String, status: Status, code: Int32, message: String, peer: String = "") {
        (self.component, self.status, self.code) = (component, status, code)
        (self.message, self.peer) = (message, peer)
    }
}

extension BroadcastFailure {
    var value: Value {
        var map = ValueMap()
        (map["component"], map["status"]) = (.string(component), .int(Int64(status.rawValue)))
        (map["code"], map["message"]) = (.int(Int64(code)), .string(message))
        if !peer.isEmpty { map["peer"] = .string(peer) }
        return .map(map)
    }

    init?(_ value: Value) {
        guard case .map(let map) = value, case .string(let component)? = map["component"],
            case .int(let status)? = map["status"], case .int(let code)? = map["code"],
            case .string(let message)? = map["message"]
        else { return nil }
        self.init(
            component: component, status: Status(rawValue: Int32(clamping: status)), code: Int32(clamping: code),
            message: message, peer: map["peer"]?.stringValue ?? "")
    }
}
