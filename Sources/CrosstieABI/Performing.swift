import CCrosstie
import Crosstie

@_cdecl("ctie_perform") @implementation
public func ctie_perform(
    _ bus: OpaquePointer?, _ target: ctie_str, _ selector: ctie_str, _ params: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    call(.perform, bus, target, selector, params, given, response, detail)
}

@_cdecl("ctie_perform_async") @implementation
public func ctie_perform_async(
    _ bus: OpaquePointer?, _ target: ctie_str, _ selector: ctie_str, _ params: OpaquePointer?,
    _ fn: ctie_completion_fn?, _ userData: UnsafeMutableRawPointer?, _ destroy: ctie_destroy_fn?,
    _ given: UnsafePointer<ctie_request_options>?, _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    let context = CallbackContext(pointer: userData, destroy: destroy)
    return callAsynchronously(.perform, bus, target, selector, params, fn, context, given, out, detail)
}

@_cdecl("ctie_performer_allow") @implementation
public func ctie_performer_allow(_ bus: OpaquePointer?, _ target: ctie_str, _ error: ErrorOut) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        guard let bytes = target.bytes else { throw CrosstieError(.invalid, "target is NULL or has no valid size") }
        try BusRecord.allow(Handle(bus), bytes)
    }
}

@_cdecl("ctie_performer_set_resolver") @implementation
public func ctie_performer_set_resolver(
    _ bus: OpaquePointer?, _ prefix: ctie_str, _ fn: ctie_handler_fn?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: ctie_destroy_fn?, _ given: UnsafePointer<ctie_handler_options>?, _ error: ErrorOut
) -> ctie_status {
    let context = CallbackContext(pointer: userData, destroy: destroy)
    return pending(error) { () throws(CrosstieError) in
        let content = try handlerContent(fn, context, given, mayBePublic: false)
        do throws(CrosstieError) {
            _ = try text(prefix, named: "prefix", limit: Name.maximumSize)
        } catch {
            content?.destroy()
            throw error
        }
        return try BusRecord.setResolver(of: prefix.bytes ?? .empty, Handle(bus), content)
    }
}

@_cdecl("ctie_performer_set_fallback") @implementation
public func ctie_performer_set_fallback(
    _ bus: OpaquePointer?, _ fn: ctie_handler_fn?, _ userData: UnsafeMutableRawPointer?, _ destroy: ctie_destroy_fn?,
    _ given: UnsafePointer<ctie_handler_options>?, _ error: ErrorOut
) -> ctie_status {
    let context = CallbackContext(pointer: userData, destroy: destroy)
    return pending(error) { () throws(CrosstieError) in
        let content = try handlerContent(fn, context, given, mayBePublic: false)
        return try BusRecord.set(.performerFallback, of: Handle(bus), to: content?.performing)
    }
}

@_cdecl("ctie_performer_release") @implementation
public func ctie_performer_release(_ bus: OpaquePointer?, _ target: ctie_str) -> ctie_status {
    guard let target = target.bytes else { return CTIE_E_INVALID.status }
    return PerformDoor.release(Handle(bus), target).rawValue
}
