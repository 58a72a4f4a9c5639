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

@_cdecl("ctie_component_list_anywhere") @implementation
public func ctie_component_list_anywhere(_ bus: OpaquePointer?, _ out: HandleOut, _ error: ErrorOut) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in
        try BusRecord.listComponentsAnywhere(Handle(bus)).map { component in
            guard let peer = component.peer, case .map(var map) = component.value else { return component.value }
            map["peer"] = peer
            return .map(map)
        }
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
            try text(event, named: "event", limit: Name.maximumSize)
        }
        let params = try discarding(given) { () throws(CrosstieError) in
            try map(params, named: "params", at: "params")
        }
        let result = try BusRecord.broadcast(Handle(bus), event, params, try specIfGiven(given))
        if let out { out.pointee = try result.makeRef().pointer }
    }
}

@_cdecl("ctie_component_broadcast_async") @implementation
public func ctie_component_broadcast_async(
    _ bus: OpaquePointer?, _ event: ctie_str, _ params: OpaquePointer?, _ completion: ctie_completion,
    _ given: UnsafePointer<ctie_request_options>?,
    _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    detail?.pointee = nil
    let context = completion.context
    let checked: (event: String, params: ValueRef, spec: RequestSpec)
    do throws(CrosstieError) {
        let (event, params) = try discarding(given) { () throws(CrosstieError) in
            (
                try string(event, named: "event", limit: Name.maximumSize),
                try map(params, named: "params", at: "params")
            )
        }
        checked = (event, params, try specOrDefault(given))
    } catch {
        context.destroy()
        return report(error, detail)
    }
    do throws(CrosstieError) {
        let outcome = try EventKind.start(
            Handle(bus), checked.event, checked.params, checked.spec, keeping: out != nil, completion: completion.fn,
            context: context)
        return resultOfCall(outcome, out, detail)
    } catch {
        return report(error, detail)
    }
}
