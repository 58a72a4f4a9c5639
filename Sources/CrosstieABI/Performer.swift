import CCrosstie
import Crosstie

@_cdecl("ctie_perform") @implementation
public func ctie_perform(
    _ bus: OpaquePointer?, _ target: ctie_target, _ params: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    call(.perform, bus, target, params, given, response, detail)
}

@_cdecl("ctie_perform_async") @implementation
public func ctie_perform_async(
    _ bus: OpaquePointer?, _ target: ctie_target, _ params: OpaquePointer?,
    _ completion: ctie_completion,
    _ given: UnsafePointer<ctie_request_options>?, _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    callAsynchronously(.perform, bus, target, params, completion, given, out, detail)
}

@_cdecl("ctie_performer_allow") @implementation
public func ctie_performer_allow(_ bus: OpaquePointer?, _ target: ctie_str, _ error: ErrorOut) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        guard let bytes = target.bytes else { throw missing("target", " or has no valid size") }
        try BusRecord.allow(Handle(bus), bytes)
    }
}

@_cdecl("ctie_performer_set_resolver") @implementation
public func ctie_performer_set_resolver(
    _ bus: OpaquePointer?, _ prefix: ctie_str, _ handler: ctie_handler, _ given: UnsafePointer<ctie_handler_options>?,
    _ error: ErrorOut
) -> ctie_status {
    return pending(error) { () throws(CrosstieError) in
        let content = try handlerContent(handler, given, mayBePublic: false)
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
    _ bus: OpaquePointer?, _ handler: ctie_handler,
    _ given: UnsafePointer<ctie_handler_options>?, _ error: ErrorOut
) -> ctie_status {
    return pending(error) { () throws(CrosstieError) in
        let content = try handlerContent(handler, given, mayBePublic: false)
        return try BusRecord.set(.performerFallback, of: Handle(bus), to: content?.performing)
    }
}

@_cdecl("ctie_performer_release") @implementation
public func ctie_performer_release(_ bus: OpaquePointer?, _ target: ctie_str, _ error: ErrorOut) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        guard let bytes = target.bytes else { throw missing("target", " or has no valid size") }
        return try PerformKind.release(Handle(bus), bytes)
    }
}
