import CCrosstie
import Crosstie

@_cdecl("ctie_interceptor_add") @implementation
public func ctie_interceptor_add(
    _ bus: OpaquePointer?, _ fn: ctie_handler_fn?, _ userData: UnsafeMutableRawPointer?, _ destroy: ctie_destroy_fn?,
    _ given: UnsafePointer<ctie_interceptor_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    let context = CallbackContext(pointer: userData, destroy: destroy)
    return answer(error) { () throws(CrosstieError) in
        let given = try destroying(context) { () throws(CrosstieError) in
            try options(given, default: ctie_interceptor_options())
        }
        let content = try content(fn, context, [], given.runtime) { _ throws(CrosstieError) in }
        let registration = try BusRecord.addInterceptor(Handle(bus), order: given.order, content)
        out?.pointee = registration.pointer
    }
}

@_cdecl("ctie_request_proceed") @implementation
public func ctie_request_proceed(_ request: OpaquePointer?) -> ctie_status {
    RequestBlock.proceed(Handle(request)).rawValue
}

@_cdecl("ctie_request_rewrite") @implementation
public func ctie_request_rewrite(_ request: OpaquePointer?, _ url: ctie_str, _ error: ErrorOut) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        guard let bytes = url.bytes else { throw CrosstieError(.invalid, "url is NULL or has no valid size") }
        try RequestBlock.rewrite(Handle(request), bytes)
    }
}
