import CCrosstie
import Crosstie

@_cdecl("ctie_route_add") @implementation
public func ctie_route_add(
    _ bus: OpaquePointer?, _ pattern: ctie_str, _ handler: ctie_handler, _ given: UnsafePointer<ctie_route_options>?,
    _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let (spec, content) = try routeSpec(pattern, handler, given)
        let registration = try BusRecord.addRoute(Handle(bus), spec, content)
        out?.pointee = registration.pointer
    }
}

/// The checked arguments of ctie_route_add().
private func routeSpec(
    _ pattern: ctie_str, _ handler: ctie_handler, _ given: UnsafePointer<ctie_route_options>?
) throws(CrosstieError) -> (RouteSpec, RegistrationContent) {
    let given = try destroying(handler.context) { () throws(CrosstieError) in
        try options(given, .route, default: ctie_route_options())
    }
    let interceptors = try destroying(handler.context) { () throws(CrosstieError) in
        try take(given.interceptors, given.interceptor_count)
    }
    var spec = RouteSpec(pattern: .empty)
    let content = try content(handler, interceptors, given.runtime) { content throws(CrosstieError) in
        let flags = Int(given.flags)
        try checkFlags(given.flags, among: CTIE_ROUTE_PUBLIC | CTIE_ROUTE_REPLACE | CTIE_ROUTE_WORKER_ONLY)
        spec.pattern = try text(pattern, named: "pattern", limit: URLLimits.url)
        spec.remark = try text(given.remark, named: "remark", limit: 1024)
        spec.name = try string(given.name, named: "name", limit: Name.maximumSize)
        spec.rule = try string(given.rule, named: "rule", limit: Name.maximumSize)
        spec.isReplacing = flags & CTIE_ROUTE_REPLACE != 0
        content.isPublic = flags & CTIE_ROUTE_PUBLIC != 0
        if flags & CTIE_ROUTE_WORKER_ONLY != 0 { content.traits.insert(.workerOnly) }
    }
    return (spec, content)
}

@_cdecl("ctie_route_remove") @implementation
public func ctie_route_remove(_ bus: OpaquePointer?, _ pattern: ctie_str, _ error: ErrorOut) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        let pattern = try text(pattern, named: "pattern", limit: URLLimits.url)
        return try BusRecord.removeRoute(Handle(bus), pattern: pattern)
    }
}

@_cdecl("ctie_route_list") @implementation
public func ctie_route_list(_ bus: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    out.pointee = nil
    return answer(nil) { () throws(CrosstieError) in
        let routes = try BusRecord.listRoutes(Handle(bus))
        out.pointee = try Value.list(routes.map(\.value)).makeRef().pointer
    }
}

extension Route {
    fileprivate var value: Value {
        var map = ValueMap([
            ("pattern", .string(pattern)), ("name", .string(name)), ("remark", .string(remark)),
            ("public", .bool(isPublic)), ("worker_only", .bool(isWorkerOnly)),
        ])
        if !rule.isEmpty { map["rule"] = .string(rule) }
        if let hits { map["hits"] = .int(hits) }
        return .map(map)
    }
}

@_cdecl("ctie_route_clear") @implementation
public func ctie_route_clear(_ bus: OpaquePointer?) -> ctie_status {
    pending(nil) { () throws(CrosstieError) in try BusRecord.clearRoutes(Handle(bus)) }
}

@_cdecl("ctie_route_set_unmatched") @implementation
public func ctie_route_set_unmatched(
    _ bus: OpaquePointer?, _ handler: ctie_handler,
    _ given: UnsafePointer<ctie_handler_options>?, _ error: ErrorOut
) -> ctie_status {
    return pending(error) { () throws(CrosstieError) in
        let content = try handlerContent(handler, given, mayBePublic: true)
        return try BusRecord.set(.unmatched, of: Handle(bus), to: content)
    }
}
