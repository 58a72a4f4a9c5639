import CCrosstie
import Crosstie

public typealias TextOut = UnsafeMutablePointer<ctie_str>?

@_cdecl("ctie_request_reply") @implementation
public func ctie_request_reply(_ request: OpaquePointer?, _ value: OpaquePointer?) -> ctie_status {
    RequestBlock.reply(request, value).rawValue
}

@_cdecl("ctie_request_fail") @implementation
public func ctie_request_fail(
    _ request: OpaquePointer?, _ code: Int32, _ value: OpaquePointer?, _ message: ctie_str
) -> ctie_status {
    let value = ValueRef(value) ?? .null
    do throws(CrosstieError) {
        let message = try text(message, named: "message", limit: 65_536)
        return RequestBlock.fail(Handle(request), code: code, value: value, message: message).rawValue
    } catch {
        value.release()
        return error.status.rawValue
    }
}

@_cdecl("ctie_request_deny") @implementation
public func ctie_request_deny(_ request: OpaquePointer?, _ message: ctie_str) -> ctie_status {
    pending(nil) { () throws(CrosstieError) in
        RequestBlock.refuse(
            Handle(request), .denied, message: try text(message, named: "message", limit: 65_536))
    }
}

@_cdecl("ctie_request_refuse") @implementation
public func ctie_request_refuse(_ request: OpaquePointer?, _ status: ctie_status, _ message: ctie_str) -> ctie_status {
    pending(nil) { () throws(CrosstieError) in
        let message = try text(message, named: "message", limit: 65_536)
        return RequestBlock.refuse(Handle(request), Status(rawValue: status), message: message)
    }
}

@_cdecl("ctie_request_progress") @implementation
public func ctie_request_progress(_ request: OpaquePointer?, _ value: OpaquePointer?) -> ctie_status {
    guard let value = ValueRef(value) else { return CTIE_E_INVALID.status }
    return RequestBlock.progress(Handle(request), value).rawValue
}

@_cdecl("ctie_request_on_cancel") @implementation
public func ctie_request_on_cancel(
    _ request: OpaquePointer?, _ notice: ctie_notice
) -> ctie_status {
    let context = notice.context
    guard let fn = notice.fn else {
        context.destroy()
        return CTIE_E_INVALID.status
    }
    return RequestBlock.onCancel(Handle(request), fn, context).rawValue
}

@_cdecl("ctie_request_decline") @implementation
public func ctie_request_decline(_ request: OpaquePointer?) -> ctie_status {
    RequestBlock.decline(Handle(request)).rawValue
}

@_cdecl("ctie_request_retain") @implementation
public func ctie_request_retain(_ request: OpaquePointer?) -> ctie_status {
    RequestBlock.retain(Handle(request)).rawValue
}

@_cdecl("ctie_request_release") @implementation
public func ctie_request_release(_ request: OpaquePointer?) -> ctie_status {
    request == nil ? CTIE_OK.status : RequestBlock.release(Handle(request)).rawValue
}

/// Leaves in `out` what `body` finds in a live request; nothing when that fails.
@inline(__always)
func ask<Out>(
    _ request: OpaquePointer?, _ out: UnsafeMutablePointer<Out>?, _ body: (RequestBlock.Pointer) -> Result<Out, Status>
) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    let resolved = RequestBlock.request(Handle(request))
    guard case .live(let block) = resolved else { return resolved.status.rawValue }
    switch body(block) {
    case .success(let found):
        out.pointee = found
        return CTIE_OK.status
    case .failure(let status):
        return status.rawValue
    }
}

/// The same for what the caller gets to own: where there is none that is NULL.
private func give(
    _ request: OpaquePointer?, _ out: HandleOut, _ body: (RequestBlock.Pointer) -> Result<OpaquePointer?, Status>
) -> ctie_status {
    out?.pointee = nil
    return ask(request, out, body)
}

@_cdecl("ctie_request_param") @implementation
public func ctie_request_param(_ request: OpaquePointer?, _ name: ctie_str, _ out: TextOut) -> ctie_status {
    ask(request, out) { block in
        guard let name = name.bytes else { return .failure(.invalidArgument) }
        return block.parameter(name).map { ctie_str($0) }
    }
}

@_cdecl("ctie_request_path_param_at") @implementation
public func ctie_request_path_param_at(
    _ request: OpaquePointer?, _ index: Int, _ name: TextOut, _ out: TextOut
) -> ctie_status {
    return ask(request, out) { block in
        guard let parameter = block.pathParameter(at: index) else { return .failure(.notFound) }
        name?.pointee = ctie_str(parameter.name)
        return .success(ctie_str(parameter.text))
    }
}

@_cdecl("ctie_request_query_at") @implementation
public func ctie_request_query_at(
    _ request: OpaquePointer?, _ index: Int, _ key: TextOut, _ out: TextOut
) -> ctie_status {
    return ask(request, out) { block in
        guard let pair = block.queryPair(at: index) else { return .failure(.notFound) }
        key?.pointee = ctie_str(pair.key)
        return .success(ctie_str(pair.text))
    }
}

@_cdecl("ctie_request_query_all") @implementation
public func ctie_request_query_all(_ request: OpaquePointer?, _ key: ctie_str, _ out: HandleOut) -> ctie_status {
    give(request, out) { block in
        guard let key = key.bytes else { return .failure(.invalidArgument) }
        return owned(.list(block.queryTexts(of: key)))
    }
}

@_cdecl("ctie_request_params") @implementation
public func ctie_request_params(_ request: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    give(request, out) { block in
        guard block.pointee.kind.hasURL else { return .success(block.plainParams.retained().pointer) }
        do throws(CrosstieError) {
            return .success(try block.makeParameterMap().pointer)
        } catch {
            return .failure(error.status)
        }
    }
}

@_cdecl("ctie_request_each_param") @implementation
public func ctie_request_each_param(
    _ request: OpaquePointer?, _ visit: ctie_param_visit_fn?, _ userData: UnsafeMutableRawPointer?
) -> ctie_status {
    guard let visit else { return CTIE_E_INVALID.status }
    let resolved = RequestBlock.request(Handle(request))
    guard case .live(let block) = resolved else { return resolved.status.rawValue }
    do throws(CrosstieError) {
        try block.visitParameters { name, parameter in
            switch parameter {
            case .text(let text): return visit(ctie_str(name), ctie_str(text), nil, userData)
            case .value(let value): return visit(ctie_str(name), ctie_str(.empty), value.pointer, userData)
            }
        }
        return CTIE_OK.status
    } catch {
        return error.status.rawValue
    }
}

@_cdecl("ctie_request_arguments") @implementation
public func ctie_request_arguments(_ request: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    ask(request, out) { block in
        let isSet = !block.pointee.kind.hasURL || block.pointee.params.kind != .null
        return isSet ? .success(block.pointee.params.pointer) : .failure(.notFound)
    }
}

@_cdecl("ctie_request_kind") @implementation
public func ctie_request_kind(_ request: OpaquePointer?, _ out: UnsafeMutablePointer<Int32>?) -> ctie_status {
    ask(request, out) { block in .success(block.pointee.kind.rawValue) }
}

@_cdecl("ctie_request_target") @implementation
public func ctie_request_target(_ request: OpaquePointer?, _ out: TextOut) -> ctie_status {
    ask(request, out) { block in
        block.target.map { .success(ctie_str($0)) } ?? .failure(.notFound)
    }
}

@_cdecl("ctie_request_action") @implementation
public func ctie_request_action(_ request: OpaquePointer?, _ out: TextOut) -> ctie_status {
    ask(request, out) { block in
        block.action.map { .success(ctie_str($0)) } ?? .failure(.notFound)
    }
}

@_cdecl("ctie_request_flags") @implementation
public func ctie_request_flags(_ request: OpaquePointer?, _ out: UnsafeMutablePointer<UInt32>?) -> ctie_status {
    ask(request, out) { block in .success(block.pointee.flags) }
}

/// A value owned by the caller.
private func owned(_ value: Value) -> Result<OpaquePointer?, Status> {
    do throws(CrosstieError) {
        return .success(try value.makeRef().pointer)
    } catch {
        return .failure(error.status)
    }
}

@_cdecl("ctie_request_unmatched") @implementation
public func ctie_request_unmatched(_ request: OpaquePointer?, _ out: TextOut) -> ctie_status {
    ask(request, out) { block in .success(ctie_str(block.unmatchedPath)) }
}

@_cdecl("ctie_request_rule") @implementation
public func ctie_request_rule(_ request: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    ask(request, out) { block in
        block.pointee.rule.map { .success($0.value.pointer) } ?? .failure(.notFound)
    }
}

@_cdecl("ctie_request_url") @implementation
public func ctie_request_url(_ request: OpaquePointer?, _ part: ctie_url_part, _ out: TextOut) -> ctie_status {
    ask(request, out) { block in
        guard let part = URLPart(rawValue: part) else { return .failure(.invalidArgument) }
        return block.urlPart(part).map { .success(ctie_str($0)) } ?? .failure(.notFound)
    }
}

@_cdecl("ctie_request_pattern") @implementation
public func ctie_request_pattern(_ request: OpaquePointer?, _ out: TextOut) -> ctie_status {
    ask(request, out) { block in
        block.pointee.pattern.map { .success(ctie_str($0.text)) } ?? .failure(.notFound)
    }
}

@_cdecl("ctie_request_origin") @implementation
public func ctie_request_origin(_ request: OpaquePointer?, _ out: UnsafeMutablePointer<ctie_origin>?) -> ctie_status {
    ask(request, out) { block in
        .success(block.pointee.isLocal ? Origin.local.rawValue : Origin.remote.rawValue)
    }
}

@_cdecl("ctie_request_user_info") @implementation
public func ctie_request_user_info(_ request: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    ask(request, out) { block in .success(block.plainUserInfo.pointer) }
}

@_cdecl("ctie_request_raw_user_info") @implementation
public func ctie_request_raw_user_info(_ request: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    ask(request, out) { block in .success(block.pointee.userInfo.pointer) }
}

@_cdecl("ctie_request_bus") @implementation
public func ctie_request_bus(_ request: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    ask(request, out) { block in .success(block.pointee.busHandle.pointer) }
}

@_cdecl("ctie_request_is_ended") @implementation
public func ctie_request_is_ended(_ request: OpaquePointer?, _ out: UnsafeMutablePointer<Bool>?) -> ctie_status {
    ask(request, out) { block in .success(block.hasEnded) }
}

@_cdecl("ctie_request_is_cancelled") @implementation
public func ctie_request_is_cancelled(_ request: OpaquePointer?, _ out: UnsafeMutablePointer<Bool>?) -> ctie_status {
    ask(request, out) { block in .success(block.isCancelled) }
}

@_cdecl("ctie_request_time_left") @implementation
public func ctie_request_time_left(_ request: OpaquePointer?, _ out: UnsafeMutablePointer<Int64>?) -> ctie_status {
    ask(request, out) { block in .success(block.millisecondsLeft ?? -1) }
}
