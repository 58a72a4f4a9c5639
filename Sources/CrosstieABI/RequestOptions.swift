import CCrosstie
import Crosstie

/// The content of a request's options. If any of it is refused, their callbacks are destroyed.
@inline(__always)
func spec(_ given: UnsafePointer<ctie_request_options>, isLocal: Bool = true) throws(CrosstieError) -> RequestSpec {
    try isWholeOrDestroyed(given, .request) ? wholeSpec(given, isLocal) : olderSpec(given, isLocal)
}

/// The same for options of an older header. A function of its own to save stack.
@inline(never)
private func olderSpec(
    _ given: UnsafePointer<ctie_request_options>, _ isLocal: Bool
) throws(CrosstieError) -> RequestSpec {
    var given = completed(given, by: ctie_request_options())
    return try wholeSpec(&given, isLocal)
}

@inline(__always)
private func wholeSpec(
    _ given: UnsafePointer<ctie_request_options>, _ isLocal: Bool
) throws(CrosstieError) -> RequestSpec {
    var spec = RequestSpec(isLocal: isLocal)
    // First, so that everything taken has an owner if the rest is refused.
    if given.pointee.progress.fn != nil || given.pointee.progress.destroy != nil { listen(given.pointee, &spec) }
    if given.pointee.interceptor_count != 0 { try intercept(given.pointee, &spec) }
    do throws(CrosstieError) {
        try fill(&spec, given)
        return spec
    } catch {
        spec.destroy()
        throw error
    }
}

/// The same for options that may be NULL; nil for the defaults.
@inline(__always)
func specIfGiven(_ given: UnsafePointer<ctie_request_options>?) throws(CrosstieError) -> RequestSpec? {
    guard let given else { return nil }
    return try spec(given)
}

/// The same for options that may be NULL.
@inline(__always)
func specOrDefault(
    _ given: UnsafePointer<ctie_request_options>?, isLocal: Bool = true
) throws(CrosstieError) -> RequestSpec {
    guard let given else { return RequestSpec(isLocal: isLocal) }
    return try spec(given, isLocal: isLocal)
}

@inline(__always)
private func fill(
    _ spec: inout RequestSpec, _ given: UnsafePointer<ctie_request_options>
) throws(CrosstieError) {
    spec.userInfo = try map(given.pointee.user_info, named: "user_info", at: "options.user_info")
    spec.timeoutMilliseconds = given.pointee.timeout_ms
    if given.pointee.runtime != nil { spec.runtime = try runtime(given.pointee.runtime) }
    if given.pointee.mode != 0 { spec.mode = try matchMode(given.pointee.mode, at: "options.mode") }
    if given.pointee.flags != 0 { try set(given.pointee.flags, of: &spec) }
    if given.pointee.parent != nil { try spec.setParent(Handle(given.pointee.parent)) }
    if given.pointee.dispatcher.size != 0 || given.pointee.priority != 0 || given.pointee.loop != nil {
        try deliver(given.pointee, &spec)
    }
    if given.pointee.peer.size != 0 || Int(given.pointee.flags) & CTIE_REQUEST_ELSEWHERE != 0 {
        try send(given.pointee, &spec)
    }
}

private func set(_ flags: UInt32, of spec: inout RequestSpec) throws(CrosstieError) {
    try checkFlags(flags, among: CTIE_REQUEST_REMOTE | CTIE_REQUEST_CACHED | CTIE_REQUEST_HERE | CTIE_REQUEST_ELSEWHERE)
    spec.flags = flags
    if Int(flags) & CTIE_REQUEST_REMOTE != 0 { spec.isLocal = false }
}

/// Takes the interceptors. If they are refused, so is the progress callback.
private func intercept(_ given: ctie_request_options, _ spec: inout RequestSpec) throws(CrosstieError) {
    do throws(CrosstieError) {
        spec.interceptors = InterceptorChain(try take(given.interceptors, given.interceptor_count))
    } catch {
        spec.destroy()
        throw error
    }
}

/// Takes the progress callback.
private func listen(_ given: ctie_request_options, _ spec: inout RequestSpec) {
    let context = given.progress.context
    guard let progress = given.progress.fn else { return context.destroy() }
    let delivery = RequestDelivery()
    delivery.listener = ProgressListener(progress, context)
    spec.delivery = Held(delivery)
}

/// The dispatcher, priority and loop in the options of a request.
private func deliver(_ given: ctie_request_options, _ spec: inout RequestSpec) throws(CrosstieError) {
    let held = spec.delivery ?? Held(RequestDelivery())
    spec.delivery = held
    let delivery = held.object
    delivery.dispatcher = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
    guard (CTIE_PRIORITY_LOW...CTIE_PRIORITY_HIGH).contains(Int(given.priority)) else {
        throw CrosstieError(
            .invalidArgument, "\(given.priority) is no priority: CTIE_PRIORITY_LOW to CTIE_PRIORITY_HIGH",
            at: "options.priority")
    }
    delivery.priority = given.priority
    if given.loop != nil { delivery.loop = try loop(given.loop) }
}

/// Has a call go to a peer.
private func send(_ given: ctie_request_options, _ spec: inout RequestSpec) throws(CrosstieError) {
    guard Int(given.flags) & CTIE_REQUEST_HERE == 0 else {
        throw CrosstieError(.invalidArgument, "CTIE_REQUEST_HERE contradicts a peer", at: "options.flags")
    }
    let held = spec.delivery ?? Held(RequestDelivery())
    spec.delivery = held
    held.object.isElsewhere = true
    held.object.peer = try string(given.peer, named: "peer", limit: 64)
}

/// Checks the arguments before the options; if one is refused, the callbacks in the options are destroyed.
@inline(__always)
func discarding<Result>(
    _ given: UnsafePointer<ctie_request_options>?, _ check: () throws(CrosstieError) -> Result
) throws(CrosstieError) -> Result {
    do throws(CrosstieError) {
        return try check()
    } catch {
        discard(given)
        throw error
    }
}

/// Destroys the callbacks in the options of a request that is not made.
private func discard(_ given: UnsafePointer<ctie_request_options>?) {
    guard let given else { return }
    (try? spec(given))?.destroy()
}

/// A value that is a map, a foreign value with the content of one, or null.
///
/// - Throws: *wrongType*.
@inline(__always)
func map(
    _ value: OpaquePointer?, named name: StaticString, at location: StaticString
) throws(CrosstieError) -> ValueRef {
    guard let value = ValueRef(value) else { return .null }
    guard value.kind == .map || value.kind == .foreign || value.kind == .null else {
        throw CrosstieError(.wrongType, "\(name) is no map", at: "\(location)")
    }
    return value
}

func matchMode(_ mode: ctie_match_mode, at location: String) throws(CrosstieError) -> MatchMode {
    guard let mode = MatchMode(rawValue: mode) else {
        throw CrosstieError(.invalidArgument, "there is no match mode \(mode)", at: location)
    }
    return mode
}

/// Stores an outcome's error for the caller.
@inline(__always)
func result(of outcome: Outcome, _ detail: ErrorOut) -> ctie_status {
    if !outcome.status.isSuccess, detail != nil { reportFailure(outcome, detail) }
    return outcome.status.rawValue
}

/// Not inlined, so that a running handler does not carry its stack.
@inline(never)
private func reportFailure(_ outcome: Outcome, _ detail: ErrorOut) {
    guard let block = outcome.unexplained else {
        _ = report(outcome.error, detail)
        return
    }
    detail?.pointee = ErrorObject(of: block).pointer
}

/// Leaves the call of an asynchronous request with the caller, or why there is none.
@inline(__always)
func resultOfCall(_ outcome: Outcome, _ out: HandleOut, _ detail: ErrorOut) -> ctie_status {
    guard outcome.status.isSuccess else { return refuseCall(outcome, detail) }
    out?.pointee = outcome.block?.opaque(.call)
    return outcome.status.rawValue
}

@inline(never)
private func refuseCall(_ outcome: Outcome, _ detail: ErrorOut) -> ctie_status {
    guard let block = outcome.block else { return result(of: outcome, detail) }
    defer { block.drop() }
    guard detail != nil else { return outcome.status.rawValue }
    if outcome.unexplained != nil {
        reportFailure(outcome, detail)
        return outcome.status.rawValue
    }
    return report(outcome.refusal(of: block), detail)
}

/// Stores an outcome's response and error for the caller.
@inline(__always)
func result(of outcome: Outcome, _ response: HandleOut, _ detail: ErrorOut) -> ctie_status {
    let status = result(of: outcome, detail)
    guard let block = outcome.block else { return status }
    if let response { response.pointee = block.becomeResponse() } else { block.drop() }
    return status
}
