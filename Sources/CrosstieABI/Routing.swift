import CCrosstie
import Crosstie

@_cdecl("ctie_route_add") @implementation
public func ctie_route_add(
    _ bus: OpaquePointer?, _ pattern: ctie_str, _ fn: ctie_handler_fn?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: ctie_destroy_fn?, _ given: UnsafePointer<ctie_route_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    let context = CallbackContext(pointer: userData, destroy: destroy)
    return answer(error) { () throws(CrosstieError) in
        let order: RouteOrder
        do throws(CrosstieError) {
            order = try RouteOrder(pattern, fn, given, context)
        } catch {
            context.destroy()
            throw error
        }
        let handle = try BusRecord.addRoute(
            Handle(bus), pattern: order.pattern, remark: order.remark, replacing: order.replacing, order.content)
        out?.pointee = handle.pointer
    }
}

/// The checked arguments of ctie_route_add().
private struct RouteOrder {
    let pattern: UnsafeRawBufferPointer
    let remark: UnsafeRawBufferPointer
    let replacing: Bool
    let content: RegistrationContent

    init(
        _ pattern: ctie_str, _ fn: ctie_handler_fn?, _ given: UnsafePointer<ctie_route_options>?,
        _ context: CallbackContext
    ) throws(CrosstieError) {
        guard let fn else { throw CrosstieError(.invalid, "fn is NULL") }
        self.pattern = try text(pattern, named: "pattern", limit: URLLimits.url)
        let given = try options(given, default: ctie_route_options())
        let flags = Int(given.flags)
        guard flags & ~(CTIE_ROUTE_PUBLIC | CTIE_ROUTE_REPLACE) == 0 else {
            throw CrosstieError(.invalid, "unknown flags of a route", at: "options.flags")
        }
        remark = try text(given.remark, named: "remark", limit: 1024)
        replacing = flags & CTIE_ROUTE_REPLACE != 0
        content = RegistrationContent(
            isPublic: flags & CTIE_ROUTE_PUBLIC != 0, handler: fn, context: context,
            runtime: try runtime(given.runtime)?.identity)
    }
}

@_cdecl("ctie_route_remove") @implementation
public func ctie_route_remove(_ bus: OpaquePointer?, _ pattern: ctie_str, _ error: ErrorOut) -> ctie_status {
    var status = Status.ok
    let answered = answer(error) { () throws(CrosstieError) in
        let pattern = try text(pattern, named: "pattern", limit: URLLimits.url)
        status = try BusRecord.removeRoute(Handle(bus), pattern: pattern)
    }
    return answered == CTIE_OK.status ? status.rawValue : answered
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
        ["pattern": .string(pattern), "remark": .string(remark), "public": .bool(isPublic)]
    }
}

/// The checked options of an open.
@inline(__always)
private func order(
    _ origin: ctie_origin, _ given: UnsafePointer<ctie_open_options>?
) throws(CrosstieError) -> OpenOrder {
    var order = OpenOrder(isLocal: origin == Origin.local.rawValue)
    if given != nil { try fill(&order, try options(given, default: ctie_open_options())) }
    return order
}

private func fill(_ order: inout OpenOrder, _ given: ctie_open_options) throws(CrosstieError) {
    if let info = ValueRef(given.user_info) {
        guard info.kind == .map || info.kind == .foreign || info.kind == .null else {
            throw CrosstieError(.type, "user_info is no map", at: "options.user_info")
        }
        order.userInfo = info
    }
    order.timeoutMilliseconds = given.timeout_ms
    order.runtime = try runtime(given.runtime)
    if given.parent != nil {
        let parent = RequestBlock.request(Handle(given.parent))
        guard case .live(let block) = parent else {
            throw CrosstieError(parent.status, "the parent is not a request that is alive", at: "options.parent")
        }
        order.parent = block
    }
}

/// Leaves an outcome's response and error with the caller.
@inline(__always)
private func settle(_ outcome: OpenOutcome, _ detail: ErrorOut) -> ctie_status {
    if !outcome.status.isSuccess, detail != nil { _ = report(outcome.error, detail) }
    return outcome.status.rawValue
}

@_cdecl("ctie_open") @implementation
public func ctie_open(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ given: UnsafePointer<ctie_open_options>?,
    _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    response?.pointee = nil
    detail?.pointee = nil
    do throws(CrosstieError) {
        guard let bytes = url.bytes else { throw CrosstieError(.invalid, "url is NULL or has no valid size") }
        let outcome = OpenDoor.open(Handle(bus), bytes, try order(origin, given), keeping: response != nil)
        if let block = outcome.block { response?.pointee = block.becomeResponse() }
        return settle(outcome, detail)
    } catch {
        return report(error, detail)
    }
}

@_cdecl("ctie_open_async") @implementation
public func ctie_open_async(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ fn: ctie_completion_fn?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: ctie_destroy_fn?, _ given: UnsafePointer<ctie_open_options>?,
    _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    detail?.pointee = nil
    let context = CallbackContext(pointer: userData, destroy: destroy)
    let checked: (bytes: UnsafeRawBufferPointer, order: OpenOrder)
    do throws(CrosstieError) {
        guard let bytes = url.bytes else { throw CrosstieError(.invalid, "url is NULL or has no valid size") }
        checked = (bytes, try order(origin, given))
    } catch {
        context.destroy()
        return report(error, detail)
    }
    let outcome = OpenDoor.openAsynchronously(
        Handle(bus), checked.bytes, checked.order, keeping: out != nil, completion: fn, context: context)
    out?.pointee = outcome.block?.opaque(.call)
    return settle(outcome, detail)
}

@_cdecl("ctie_can_open") @implementation
public func ctie_can_open(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ out: UnsafeMutablePointer<ctie_opener>?
) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    out.pointee = Opener.none.rawValue
    guard let bytes = url.bytes else { return CTIE_E_INVALID.status }
    let (status, opener) = OpenDoor.canOpen(Handle(bus), bytes, isLocal: origin == Origin.local.rawValue)
    out.pointee = opener.rawValue
    return status.rawValue
}

@_cdecl("ctie_generate") @implementation
public func ctie_generate(
    _ bus: OpaquePointer?, _ pattern: ctie_str, _ params: OpaquePointer?, _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(detail) { () throws(CrosstieError) in
        guard let out else { throw CrosstieError(.invalid, "out is NULL") }
        let pattern = try text(pattern, named: "pattern", limit: URLLimits.url)
        let params = try (ValueRef(params) ?? .null).materialized()
        defer { params.release() }
        let scheme = bus == nil ? "" : try BusRecord.withState(Handle(bus)) { _, state in state.defaultScheme }
        let url = try Generation.url(pattern, Value(borrowing: params), defaultScheme: scheme)
        out.pointee = try ValueRef.string(url).pointer
    }
}
