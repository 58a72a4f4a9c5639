import CCrosstie
import Crosstie

/// What the options of a request say. What they bring is destroyed when something is refused.
@inline(__always)
func order(
    _ given: UnsafePointer<ctie_request_options>?, isLocal: Bool
) throws(CrosstieError) -> RequestOrder {
    var order = RequestOrder(isLocal: isLocal)
    guard given != nil else { return order }
    let given = try options(given, default: ctie_request_options())
    // First: what is taken has an owner, whatever else is refused.
    order.delivery = listening(given)
    order.interceptors = InterceptorChain(try take(given.interceptors, given.interceptor_count))
    do throws(CrosstieError) {
        try fill(&order, given)
        return order
    } catch {
        order.interceptors?.destroy()
        throw error
    }
}

private func fill(_ order: inout RequestOrder, _ given: ctie_request_options) throws(CrosstieError) {
    order.userInfo = try map(given.user_info, named: "user_info", at: "options.user_info")
    order.timeoutMilliseconds = given.timeout_ms
    order.runtime = try runtime(given.runtime)
    order.mode = try matchMode(given.mode, at: "options.mode")
    guard Int(given.flags) & ~(CTIE_REQUEST_REMOTE | CTIE_REQUEST_CACHED) == 0 else {
        throw CrosstieError(.invalid, "unknown flags of a request", at: "options.flags")
    }
    order.flags = given.flags
    if Int(given.flags) & CTIE_REQUEST_REMOTE != 0 { order.isLocal = false }
    if given.parent != nil { try order.setParent(Handle(given.parent)) }
    if given.dispatcher.size != 0 || given.priority != 0 || given.loop != nil {
        order.delivery = try fill(order.delivery ?? RequestDelivery(), given)
    }
}

/// Who hears the progress; nil for nobody.
private func listening(_ given: ctie_request_options) -> RequestDelivery? {
    let context = CallbackContext(pointer: given.progress_data, destroy: given.progress_destroy)
    guard let progress = given.progress else {
        context.destroy()
        return nil
    }
    let delivery = RequestDelivery()
    delivery.listener = ProgressListener(progress, context)
    return delivery
}

/// What options say of where and when a request runs.
private func fill(
    _ delivery: RequestDelivery, _ given: ctie_request_options
) throws(CrosstieError) -> RequestDelivery {
    delivery.dispatcher = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
    guard (CTIE_PRIORITY_LOW...CTIE_PRIORITY_HIGH).contains(Int(given.priority)) else {
        throw CrosstieError(.invalid, "there is no such priority", at: "options.priority")
    }
    delivery.priority = given.priority
    if given.loop != nil { delivery.loop = try loop(given.loop) }
    return delivery
}

/// A value that is a map, or stands for one, or is null.
///
/// - Throws: *type*.
@inline(__always)
func map(_ value: OpaquePointer?, named name: StaticString, at place: StaticString) throws(CrosstieError) -> ValueRef {
    guard let value = ValueRef(value) else { return .null }
    guard value.kind == .map || value.kind == .foreign || value.kind == .null else {
        throw CrosstieError(.type, "\(name) is no map", at: "\(place)")
    }
    return value
}

func matchMode(_ mode: ctie_match_mode, at place: String) throws(CrosstieError) -> MatchMode {
    guard let mode = MatchMode(rawValue: mode) else {
        throw CrosstieError(.invalid, "there is no such match mode", at: place)
    }
    return mode
}

/// Leaves an outcome's error with the caller.
@inline(__always)
func settle(_ outcome: Outcome, _ detail: ErrorOut) -> ctie_status {
    if !outcome.status.isSuccess, detail != nil { _ = report(outcome.error, detail) }
    return outcome.status.rawValue
}

/// Leaves an outcome's response and error with the caller.
@inline(__always)
func settle(_ outcome: Outcome, _ response: HandleOut, _ detail: ErrorOut) -> ctie_status {
    let status = settle(outcome, detail)
    guard let block = outcome.block else { return status }
    if let response { response.pointee = block.becomeResponse() } else { block.drop() }
    return status
}
