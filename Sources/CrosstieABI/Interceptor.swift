import CCrosstie
import Crosstie

@_cdecl("ctie_interceptor_add") @implementation
public func ctie_interceptor_add(
    _ bus: OpaquePointer?, _ handler: ctie_handler,
    _ given: UnsafePointer<ctie_interceptor_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let given = try destroying(handler.context) { () throws(CrosstieError) in
            try options(given, .interceptor, default: ctie_interceptor_options())
        }
        var (scope, dispatcher) = (InterceptorScope(), "")
        let content = try content(handler, [], given.runtime) { _ throws(CrosstieError) in
            scope = try InterceptorScope(kinds: given.kinds)
            dispatcher = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
        }
        let registration = try BusRecord.addInterceptor(
            Handle(bus), position: given.order, scope, dispatcher: dispatcher, content)
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
        guard let bytes = url.bytes else { throw missing("url", " or has no valid size") }
        try RequestBlock.rewrite(Handle(request), bytes)
    }
}

@_cdecl("ctie_request_set_params") @implementation
public func ctie_request_set_params(_ request: OpaquePointer?, _ params: OpaquePointer?) -> ctie_status {
    guard let params = ValueRef(params) else { return CTIE_E_INVALID.status }
    return answer(nil) { () throws(CrosstieError) in try RequestBlock.setParams(Handle(request), params) }
}

@_cdecl("ctie_request_set_user_info") @implementation
public func ctie_request_set_user_info(_ request: OpaquePointer?, _ info: OpaquePointer?) -> ctie_status {
    guard let info = ValueRef(info) else { return CTIE_E_INVALID.status }
    return answer(nil) { () throws(CrosstieError) in try RequestBlock.setUserInfo(Handle(request), info) }
}

@_cdecl("ctie_request_on_return") @implementation
public func ctie_request_on_return(
    _ request: OpaquePointer?, _ completion: ctie_completion
) -> ctie_status {
    let context = completion.context
    guard let fn = completion.fn else {
        context.destroy()
        return CTIE_E_INVALID.status
    }
    return RequestBlock.onReturn(Handle(request), fn, context).rawValue
}
