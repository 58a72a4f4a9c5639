import CCrosstie
import Crosstie

/// What is performed, checked.
private struct Performed {
    let names: RequestNames
    let params: ValueRef

    init(_ target: ctie_str, _ selector: ctie_str, _ params: OpaquePointer?) throws(CrosstieError) {
        let target = try text(target, named: "target", limit: PerformTarget.maximumSize)
        try PerformTarget.check(target)
        names = RequestNames(
            target: target, action: try text(selector, named: "selector", limit: Name.maximumSize))
        self.params = try map(params, named: "params", at: "params")
    }
}

@_cdecl("ctie_perform") @implementation
public func ctie_perform(
    _ bus: OpaquePointer?, _ target: ctie_str, _ selector: ctie_str, _ params: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    response?.pointee = nil
    detail?.pointee = nil
    do throws(CrosstieError) {
        let (order, performed) = try checked(given) { () throws(CrosstieError) -> Performed in
            try Performed(target, selector, params)
        }
        // What went wrong is read from the request.
        let keeping = response != nil || detail != nil
        return settle(
            CallDoor.call(.perform, Handle(bus), performed.names, performed.params, order, keeping: keeping),
            response, detail)
    } catch {
        return report(error, detail)
    }
}

@_cdecl("ctie_perform_async") @implementation
public func ctie_perform_async(
    _ bus: OpaquePointer?, _ target: ctie_str, _ selector: ctie_str, _ params: OpaquePointer?,
    _ fn: ctie_completion_fn?, _ userData: UnsafeMutableRawPointer?, _ destroy: ctie_destroy_fn?,
    _ given: UnsafePointer<ctie_request_options>?, _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    detail?.pointee = nil
    let context = CallbackContext(pointer: userData, destroy: destroy)
    do throws(CrosstieError) {
        let (order, performed) = try destroying(context) { () throws(CrosstieError) in
            try checked(given) { () throws(CrosstieError) -> Performed in try Performed(target, selector, params) }
        }
        let outcome = CallDoor.callAsynchronously(
            .perform, Handle(bus), performed.names, performed.params, order, keeping: out != nil, completion: fn,
            context: context)
        out?.pointee = outcome.block?.opaque(.call)
        return settle(outcome, detail)
    } catch {
        return report(error, detail)
    }
}

@_cdecl("ctie_performer_allow") @implementation
public func ctie_performer_allow(_ bus: OpaquePointer?, _ target: ctie_str, _ error: ErrorOut) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        let target = try text(target, named: "target", limit: PerformTarget.maximumSize)
        try BusRecord.allow(Handle(bus), target)
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
    pending(nil) { () throws(CrosstieError) in
        let target = try text(target, named: "target", limit: PerformTarget.maximumSize)
        return try PerformDoor.release(Handle(bus), target)
    }
}
