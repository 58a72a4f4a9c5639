import CCrosstie
import Crosstie

@_cdecl("ctie_status_code") @implementation
public func ctie_status_code(_ status: ctie_status) -> Int32 {
    Status(rawValue: status).code
}

@_cdecl("ctie_error_status") @implementation
public func ctie_error_status(_ error: OpaquePointer?) -> ctie_status {
    guard let error else { return Status.invalidArgument.rawValue }
    return ErrorObject(error).status
}

@_cdecl("ctie_error_message") @implementation
public func ctie_error_message(_ error: OpaquePointer?) -> ctie_str {
    guard let error else { return ctie_str() }
    return ErrorObject(error).message
}

@_cdecl("ctie_error_location") @implementation
public func ctie_error_location(_ error: OpaquePointer?) -> ctie_str {
    guard let error else { return ctie_str() }
    return ErrorObject(error).location
}

@_cdecl("ctie_error_release") @implementation
public func ctie_error_release(_ error: OpaquePointer?) {
    guard let error else { return }
    ErrorObject(error).free()
}
