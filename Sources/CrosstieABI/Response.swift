import CCrosstie
import Crosstie

@inline(__always)
private func block(_ response: OpaquePointer?) -> RequestBlock.Pointer? {
    guard case .live(let block) = RequestBlock.response(Handle(response)) else { return nil }
    return block
}

@_cdecl("ctie_response_status") @implementation
public func ctie_response_status(_ response: OpaquePointer?) -> ctie_status {
    let resolved = RequestBlock.response(Handle(response))
    guard case .live(let block) = resolved else { return resolved.status.rawValue }
    return block.pointee.status.rawValue
}

@_cdecl("ctie_response_code") @implementation
public func ctie_response_code(_ response: OpaquePointer?) -> Int32 {
    block(response)?.pointee.code ?? 0
}

@_cdecl("ctie_response_value") @implementation
public func ctie_response_value(_ response: OpaquePointer?) -> OpaquePointer? {
    block(response)?.plainValue.pointer
}

@_cdecl("ctie_response_raw_value") @implementation
public func ctie_response_raw_value(_ response: OpaquePointer?) -> OpaquePointer? {
    block(response)?.pointee.value.pointer
}

@_cdecl("ctie_response_message") @implementation
public func ctie_response_message(_ response: OpaquePointer?) -> ctie_str {
    block(response)?.responseMessage.map { ctie_str($0) } ?? ctie_str()
}

@_cdecl("ctie_response_release") @implementation
public func ctie_response_release(_ response: OpaquePointer?) -> ctie_status {
    response == nil ? CTIE_OK.status : RequestBlock.releaseResponse(Handle(response)).rawValue
}

@_cdecl("ctie_response_replace") @implementation
public func ctie_response_replace(_ response: OpaquePointer?, _ value: OpaquePointer?) -> ctie_status {
    guard let value = ValueRef(value) else { return CTIE_E_INVALID.status }
    return RequestBlock.replaceResponse(Handle(response), value).rawValue
}

@_cdecl("ctie_response_fail") @implementation
public func ctie_response_fail(
    _ response: OpaquePointer?, _ code: Int32, _ value: OpaquePointer?, _ message: ctie_str
) -> ctie_status {
    let value = ValueRef(value) ?? .null
    do throws(CrosstieError) {
        let message = try text(message, named: "message", limit: 65_536)
        return RequestBlock.failResponse(Handle(response), code: code, value: value, message: message).rawValue
    } catch {
        value.release()
        return error.status.rawValue
    }
}

@_cdecl("ctie_call_wait") @implementation
public func ctie_call_wait(_ call: OpaquePointer?, _ timeout: Int64, _ response: HandleOut) -> ctie_status {
    response?.pointee = nil
    let (status, block) = RequestBlock.wait(Handle(call), milliseconds: timeout, keeping: response != nil)
    response?.pointee = block?.opaque(.response)
    return status.rawValue
}

@_cdecl("ctie_call_cancel") @implementation
public func ctie_call_cancel(_ call: OpaquePointer?) -> ctie_status {
    RequestBlock.cancel(Handle(call)).rawValue
}

@_cdecl("ctie_call_state") @implementation
public func ctie_call_state(_ call: OpaquePointer?, _ out: UnsafeMutablePointer<ctie_status>?) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    switch RequestBlock.state(Handle(call)) {
    case .success(let state):
        out.pointee = state.rawValue
        return CTIE_OK.status
    case .failure(let status):
        return status.rawValue
    }
}

@_cdecl("ctie_call_release") @implementation
public func ctie_call_release(_ call: OpaquePointer?) -> ctie_status {
    call == nil ? CTIE_OK.status : RequestBlock.releaseCall(Handle(call)).rawValue
}
