import CCrosstie
import Crosstie

/// The bytes of a URL. If they are refused, the callbacks in the options are destroyed.
@inline(__always)
private func bytes(
    of url: ctie_str, _ given: UnsafePointer<ctie_request_options>?
) throws(CrosstieError) -> UnsafeRawBufferPointer {
    try discarding(given) { () throws(CrosstieError) in
        guard let bytes = url.bytes else { throw missing("url", " or has no valid size") }
        return bytes
    }
}

@_cdecl("ctie_open") @implementation
public func ctie_open(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ given: UnsafePointer<ctie_request_options>?,
    _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    response?.pointee = nil
    detail?.pointee = nil
    guard given == nil, let bytes = url.bytes else { return openAsSaid(bus, url, origin, given, response, detail) }
    let spec = RequestSpec(isLocal: origin == Origin.local.rawValue)
    // The error reads its message from the request.
    let keeping = response != nil || detail != nil
    return result(of: OpenKind.open(Handle(bus), bytes, spec, keeping: keeping), response, detail)
}

/// The same with options. A function of its own, because refusing options needs stack that nested opens would each
/// occupy.
@inline(never)
private func openAsSaid(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ given: UnsafePointer<ctie_request_options>?,
    _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    do throws(CrosstieError) {
        let bytes = try bytes(of: url, given)
        let spec = try specOrDefault(given, isLocal: origin == Origin.local.rawValue)
        let keeping = response != nil || detail != nil
        return result(of: OpenKind.open(Handle(bus), bytes, spec, keeping: keeping), response, detail)
    } catch {
        return report(error, detail)
    }
}

@_cdecl("ctie_open_async") @implementation
public func ctie_open_async(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ completion: ctie_completion,
    _ given: UnsafePointer<ctie_request_options>?,
    _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    detail?.pointee = nil
    let context = completion.context
    let checked: (url: UnsafeRawBufferPointer, spec: RequestSpec)
    do throws(CrosstieError) {
        let bytes = try bytes(of: url, given)
        checked = (bytes, try specOrDefault(given, isLocal: origin == Origin.local.rawValue))
    } catch {
        context.destroy()
        return report(error, detail)
    }
    let outcome = OpenKind.openAsynchronously(
        Handle(bus), checked.url, checked.spec, keeping: out != nil, completion: completion.fn, context: context)
    return resultOfCall(outcome, out, detail)
}

@_cdecl("ctie_can_open") @implementation
public func ctie_can_open(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ mode: ctie_match_mode,
    _ out: UnsafeMutablePointer<ctie_opened_by>?
) -> ctie_status {
    canOpen(bus, url, origin, mode, anywhere: false, out)
}

@_cdecl("ctie_can_open_anywhere") @implementation
public func ctie_can_open_anywhere(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ mode: ctie_match_mode,
    _ out: UnsafeMutablePointer<ctie_opened_by>?
) -> ctie_status {
    canOpen(bus, url, origin, mode, anywhere: true, out)
}

private func canOpen(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ mode: ctie_match_mode, anywhere: Bool,
    _ out: UnsafeMutablePointer<ctie_opened_by>?
) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    guard let bytes = url.bytes, let mode = MatchMode(rawValue: mode) else { return CTIE_E_INVALID.status }
    let (status, opener) = OpenKind.canOpen(
        Handle(bus), bytes, isLocal: origin == Origin.local.rawValue, mode: mode, anywhere: anywhere)
    if status.isSuccess { out.pointee = opener.rawValue }
    return status.rawValue
}
