import CCrosstie
import Crosstie

/// The bytes of a name. If they are refused, the callbacks in the options are destroyed.
@inline(__always)
func name(
    _ text: ctie_str, _ argument: StaticString, _ given: UnsafePointer<ctie_request_options>?
) throws(CrosstieError) -> UnsafeRawBufferPointer {
    try discarding(given) { () throws(CrosstieError) in
        guard let bytes = text.bytes else { throw missing(argument, " or has no valid size") }
        return bytes
    }
}

/// Runs a request of two names and parameters on this thread.
///
/// - Parameter timeout: the deadline in milliseconds unless the options name one; 0 for the default.
@inline(__always)
func call(
    _ kind: RequestKind, _ bus: OpaquePointer?, _ names: ctie_target, _ params: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, timeout: Int64 = 0, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    response?.pointee = nil
    detail?.pointee = nil
    do throws(CrosstieError) {
        let (target, action) = (
            try name(names.name, "target.name", given), try name(names.action, "target.action", given)
        )
        // The error reads its message from the request.
        let keeping = response != nil || detail != nil
        guard given != nil || timeout != 0 else {
            let outcome = NamedRequest.call(kind, bus, target, action, params, keeping: keeping)
            return result(of: outcome, kind, names, params, response, detail)
        }
        let spec = try specOrDefault(given).withDefault(timeout: timeout)
        let outcome = NamedRequest.call(kind, bus, target, action, params, spec, keeping: keeping)
        return result(of: outcome, kind, names, params, response, detail)
    } catch {
        return report(error, detail)
    }
}

/// Runs it on a worker.
func callAsynchronously(
    _ kind: RequestKind, _ bus: OpaquePointer?, _ names: ctie_target, _ params: OpaquePointer?,
    _ completion: ctie_completion, _ given: UnsafePointer<ctie_request_options>?,
    timeout: Int64 = 0, _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    detail?.pointee = nil
    let checked: (target: UnsafeRawBufferPointer, action: UnsafeRawBufferPointer, spec: RequestSpec)
    do throws(CrosstieError) {
        let (target, action) = (
            try name(names.name, "target.name", given), try name(names.action, "target.action", given)
        )
        checked = (target, action, try specOrDefault(given).withDefault(timeout: timeout))
    } catch {
        completion.context.destroy()
        return report(error, detail)
    }
    let outcome = NamedRequest.callAsynchronously(
        kind, bus, checked.target, checked.action, params, checked.spec, keeping: out != nil,
        completion: completion.fn, context: completion.context)
    guard outcome.status.isSuccess || outcome.block != nil else {
        return reportRefusal(outcome.status, kind, names, params, detail)
    }
    return resultOfCall(outcome, out, detail)
}

/// Stores the outcome of a request of two names for the caller.
@inline(__always)
private func result(
    of outcome: Outcome, _ kind: RequestKind, _ names: ctie_target, _ params: OpaquePointer?, _ response: HandleOut,
    _ detail: ErrorOut
) -> ctie_status {
    if !outcome.status.isSuccess, outcome.block == nil {
        return reportRefusal(outcome.status, kind, names, params, detail)
    }
    return result(of: outcome, response, detail)
}

/// Says why no request was made. Not inlined, so that a running handler does not carry its stack.
@inline(never)
private func reportRefusal(
    _ status: Status, _ kind: RequestKind, _ names: ctie_target, _ params: OpaquePointer?, _ detail: ErrorOut
) -> ctie_status {
    guard detail != nil else { return status.rawValue }
    let callee = Callee(names.name.bytes ?? .empty, names.action.bytes ?? .empty, ValueRef(params) ?? .null)
    return report(callee.problem(status, of: kind), detail)
}

// In C's entry itself: otherwise that copies the target once more.
@_cdecl("ctie_component_call") @implementation @inline(__always)
public func ctie_component_call(
    _ bus: OpaquePointer?, _ target: ctie_target, _ params: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    call(.call, bus, target, params, given, response, detail)
}

@_cdecl("ctie_component_call_async") @implementation
public func ctie_component_call_async(
    _ bus: OpaquePointer?, _ target: ctie_target, _ params: OpaquePointer?,
    _ completion: ctie_completion,
    _ given: UnsafePointer<ctie_request_options>?, _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    callAsynchronously(.call, bus, target, params, completion, given, out, detail)
}
