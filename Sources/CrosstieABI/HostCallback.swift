import CCrosstie
import Crosstie

/// A callback from C: a function, the host's data, and the function that releases the data.
protocol HostCallback {
    var user_data: UnsafeMutableRawPointer? { get }
    var destroy: ctie_destroy_fn? { get }
}

extension HostCallback {
    @inline(__always)
    var context: CallbackContext { CallbackContext(pointer: user_data, destroy: destroy) }
}

extension ctie_completion: HostCallback {}
extension ctie_factory: HostCallback {}
extension ctie_handler: HostCallback {}
extension ctie_logger: HostCallback {}
extension ctie_notice: HostCallback {}
extension ctie_progress: HostCallback {}
extension ctie_provider_logger: HostCallback {}
extension ctie_receiver: HostCallback {}

/// Runs checks; destroys a callback's context if one of them fails.
func destroying<Result>(
    _ context: CallbackContext, _ check: () throws(CrosstieError) -> Result
) throws(CrosstieError) -> Result {
    do throws(CrosstieError) {
        return try check()
    } catch {
        context.destroy()
        throw error
    }
}

/// Takes an array of interceptors: if one is refused all are destroyed. A too long array is not read.
func take(_ first: UnsafePointer<ctie_handler>?, _ count: Int) throws(CrosstieError) -> [Interceptor] {
    guard count != 0 else { return [] }
    guard let first, UInt(bitPattern: first) % UInt(MemoryLayout<ctie_handler>.alignment) == 0 else {
        throw CrosstieError(.invalidArgument, "interceptors is NULL or misaligned", at: "options.interceptors")
    }
    guard count > 0, count <= InterceptorChain.maximumCount else {
        throw CrosstieError(
            .limitExceeded,
            "there are more than \(InterceptorChain.maximumCount) interceptors", at: "options.interceptors")
    }
    let items = UnsafeBufferPointer(start: first, count: count)
    let contexts = items.map(\.context)
    let taken = zip(items, contexts).compactMap { item, context in item.fn.map { Interceptor($0, context: context) } }
    guard taken.count == count else {
        for context in contexts { context.destroy() }
        throw CrosstieError(.invalidArgument, "an interceptor has no fn", at: "options.interceptors")
    }
    return taken
}

/// The content of a registration: a handler with its options. All of it is destroyed if `check` fails.
func content(
    _ handler: ctie_handler, _ interceptors: [Interceptor],
    _ givenRuntime: UnsafePointer<ctie_runtime>?,
    _ check: (inout RegistrationContent) throws(CrosstieError) -> Void
) throws(CrosstieError) -> RegistrationContent {
    var content = RegistrationContent(handler: handler.fn ?? { _, _ in }, context: handler.context)
    content.interceptors = interceptors
    do throws(CrosstieError) {
        guard handler.fn != nil else { throw missing("fn") }
        content.runtime = try runtime(givenRuntime)?.identity
        try check(&content)
        return content
    } catch {
        content.destroy()
        throw error
    }
}

/// The content of a handler without a pattern; nil for none. It is destroyed if the options are refused.
func handlerContent(
    _ handler: ctie_handler, _ given: UnsafePointer<ctie_handler_options>?, mayBePublic: Bool
) throws(CrosstieError) -> RegistrationContent? {
    let given = try destroying(handler.context) { () throws(CrosstieError) in
        try options(given, .handler, default: ctie_handler_options())
    }
    let interceptors = try destroying(handler.context) { () throws(CrosstieError) in
        try take(given.interceptors, given.interceptor_count)
    }
    guard handler.fn != nil else {
        handler.context.destroy()
        for interceptor in interceptors { interceptor.context.destroy() }
        return nil
    }
    return try content(handler, interceptors, given.runtime) { content throws(CrosstieError) in
        let flags = Int(given.flags)
        let known = mayBePublic ? CTIE_HANDLER_PUBLIC | CTIE_HANDLER_WORKER_ONLY : CTIE_HANDLER_WORKER_ONLY
        try checkFlags(UInt32(truncatingIfNeeded: flags), among: known)
        content.isPublic = flags & CTIE_HANDLER_PUBLIC != 0
        if flags & CTIE_HANDLER_WORKER_ONLY != 0 { content.traits.insert(.workerOnly) }
    }
}
