import CCrosstie
import Crosstie

@_cdecl("ctie_component_list") @implementation
public func ctie_component_list(_ bus: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    out.pointee = nil
    return answer(nil) { () throws(CrosstieError) in
        let components = try BusRecord.listComponents(Handle(bus))
        out.pointee = try Value.list(components.map(\.value)).makeRef().pointer
    }
}

extension ComponentDescription {
    fileprivate var value: Value {
        [
            "name": .string(name), "doc": .string(doc), "language": .string(language), "type": .string(type),
            "dispatcher": .string(dispatcher), "priority": .int(Int64(priority)), "static": .bool(isStatic),
            "actions": .list(actions.map(\.value)),
        ]
    }
}

extension ComponentDescription.Action {
    fileprivate var value: Value {
        [
            "name": .string(name), "doc": .string(doc), "event": .bool(isEvent), "worker_only": .bool(isWorkerOnly),
        ]
    }
}

@_cdecl("ctie_component_broadcast") @implementation
public func ctie_component_broadcast(
    _ bus: OpaquePointer?, _ event: ctie_str, _ params: OpaquePointer?, _ given: UnsafePointer<ctie_request_options>?,
    _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let event = try discarding(given) { () throws(CrosstieError) in
            try string(event, named: "event", limit: Name.maximumSize)
        }
        let params = try discarding(given) { () throws(CrosstieError) in
            try map(params, named: "params", at: "params")
        }
        let result = try BusRecord.broadcast(Handle(bus), event, params, try orderOrDefault(given))
        if let out { out.pointee = try result.value.makeRef().pointer }
    }
}

extension BroadcastResult {
    fileprivate var value: Value {
        ["count": .int(Int64(count)), "any": .bool(any), "failures": .list(failures.map(\.value))]
    }
}

extension BroadcastFailure {
    fileprivate var value: Value {
        [
            "component": .string(component), "status": .int(Int64(status.rawValue)), "code": .int(Int64(code)),
            "message": .string(message),
        ]
    }
}
