import CCrosstie
import Crosstie

/// Each kind has one operation.
@inline(__always)
private func only(_ name: ctie_str) -> ctie_target { ctie_target(name: name, action: ctie_str()) }

@_cdecl("ctie_share") @implementation
public func ctie_share(
    _ bus: OpaquePointer?, _ endpoint: ctie_str, _ message: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    call(
        .share, bus, only(endpoint), message, given, timeout: RequestSpec.personTimeoutMilliseconds, response,
        detail)
}

@_cdecl("ctie_share_async") @implementation
public func ctie_share_async(
    _ bus: OpaquePointer?, _ endpoint: ctie_str, _ message: OpaquePointer?, _ completion: ctie_completion,
    _ given: UnsafePointer<ctie_request_options>?,
    _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    callAsynchronously(
        .share, bus, only(endpoint), message, completion, given,
        timeout: RequestSpec.personTimeoutMilliseconds, out, detail)
}

@_cdecl("ctie_oauth") @implementation
public func ctie_oauth(
    _ bus: OpaquePointer?, _ platform: ctie_str, _ params: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    call(
        .oauth, bus, only(platform), params, given, timeout: RequestSpec.personTimeoutMilliseconds, response,
        detail)
}

@_cdecl("ctie_oauth_async") @implementation
public func ctie_oauth_async(
    _ bus: OpaquePointer?, _ platform: ctie_str, _ params: OpaquePointer?, _ completion: ctie_completion,
    _ given: UnsafePointer<ctie_request_options>?,
    _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    callAsynchronously(
        .oauth, bus, only(platform), params, completion, given,
        timeout: RequestSpec.personTimeoutMilliseconds, out, detail)
}

@_cdecl("ctie_launch") @implementation
public func ctie_launch(
    _ bus: OpaquePointer?, _ platform: ctie_str, _ program: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    call(.launch, bus, only(platform), program, given, response, detail)
}

@_cdecl("ctie_launch_async") @implementation
public func ctie_launch_async(
    _ bus: OpaquePointer?, _ platform: ctie_str, _ program: OpaquePointer?, _ completion: ctie_completion,
    _ given: UnsafePointer<ctie_request_options>?,
    _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    callAsynchronously(
        .launch, bus, only(platform), program, completion, given, out,
        detail)
}

@_cdecl("ctie_provider_open_url") @implementation
public func ctie_provider_open_url(
    _ bus: OpaquePointer?, _ url: ctie_str, _ origin: ctie_origin, _ given: UnsafePointer<ctie_request_options>?,
    _ out: UnsafeMutablePointer<Bool>?, _ detail: ErrorOut
) -> ctie_status {
    offer(origin, given, out, detail) { spec throws(CrosstieError) in
        guard let bytes = url.bytes else {
            spec.destroy()
            throw missing("url", " or has no valid size")
        }
        return OpenKind.claim(Handle(bus), bytes, spec)
    }
}

@_cdecl("ctie_provider_open_activity") @implementation
public func ctie_provider_open_activity(
    _ bus: OpaquePointer?, _ activity: OpaquePointer?, _ origin: ctie_origin,
    _ given: UnsafePointer<ctie_request_options>?, _ out: UnsafeMutablePointer<Bool>?, _ detail: ErrorOut
) -> ctie_status {
    offer(origin, given, out, detail) { spec throws(CrosstieError) in
        try NamedRequest.offer(bus, activity: activity, spec)
    }
}

/// Offers a URL or an activity to the providers; nil if none claims it.
private func offer(
    _ origin: ctie_origin, _ given: UnsafePointer<ctie_request_options>?, _ out: UnsafeMutablePointer<Bool>?,
    _ detail: ErrorOut, _ body: (RequestSpec) throws(CrosstieError) -> Outcome?
) -> ctie_status {
    detail?.pointee = nil
    do throws(CrosstieError) {
        let spec = try specOrDefault(given, isLocal: origin == Origin.local.rawValue)
        guard let out else {
            spec.destroy()
            throw missing("out")
        }
        guard let outcome = try body(spec) else {
            out.pointee = false
            return CTIE_OK.status
        }
        if outcome.block != nil { out.pointee = true }
        return result(of: outcome, nil, detail)
    } catch {
        return report(error, detail)
    }
}
