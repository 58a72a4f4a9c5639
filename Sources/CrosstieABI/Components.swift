import CCrosstie
import Crosstie

@_cdecl("ctie_component_add") @implementation
public func ctie_component_add(
    _ bus: OpaquePointer?, _ name: ctie_str, _ actions: UnsafePointer<ctie_action>?, _ count: Int,
    _ userData: UnsafeMutableRawPointer?, _ destroy: ctie_destroy_fn?,
    _ given: UnsafePointer<ctie_component_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    let context = CallbackContext(pointer: userData, destroy: destroy)
    return answer(error) { () throws(CrosstieError) in
        let content = try content(name, actions, count, context, given)
        let registration = try BusRecord.addComponent(Handle(bus), content)
        out?.pointee = registration.pointer
    }
}

/// What is registered. All of it is destroyed when something is refused.
private func content(
    _ name: ctie_str, _ actions: UnsafePointer<ctie_action>?, _ count: Int, _ context: CallbackContext,
    _ given: UnsafePointer<ctie_component_options>?
) throws(CrosstieError) -> ComponentContent {
    var content = ComponentContent(name: "", context: context)
    do throws(CrosstieError) {
        let given = try options(given, default: ctie_component_options())
        content.interceptors = try take(given.interceptors, given.interceptor_count)
        content.name = try string(name, named: "name", limit: Name.maximumSize)
        try fill(&content, given)
        content.actions = try read(actions, count)
        return content
    } catch {
        content.destroy()
        throw error
    }
}

private func fill(_ content: inout ComponentContent, _ given: ctie_component_options) throws(CrosstieError) {
    let flags = Int(given.flags)
    guard flags & ~(CTIE_COMPONENT_REPLACE | CTIE_COMPONENT_LAZY) == 0 else {
        throw CrosstieError(.invalid, "unknown flags of a component", at: "options.flags")
    }
    content.isReplacing = flags & CTIE_COMPONENT_REPLACE != 0
    content.priority = given.priority
    content.doc = try string(given.doc, named: "doc", limit: Action.maximumDocSize)
    if given.language.size != 0 {
        content.language = try string(given.language, named: "language", limit: Name.maximumSize)
    }
    content.type = try string(given.type, named: "type", limit: Name.maximumSize)
    content.dispatcher = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
    content.runtime = try runtime(given.runtime)?.identity
}

/// - Throws: *invalid* for an array that is NULL or misaligned, or an action without a function; *limit*, *utf8*.
private func read(_ first: UnsafePointer<ctie_action>?, _ count: Int) throws(CrosstieError) -> [Action] {
    guard count != 0 else { return [] }
    guard let first, UInt(bitPattern: first) % UInt(MemoryLayout<ctie_action>.alignment) == 0 else {
        throw CrosstieError(.invalid, "actions is NULL or misaligned", at: "actions")
    }
    guard (1...ComponentContent.maximumActions).contains(count) else {
        throw CrosstieError(
            .limit, "a component has at most \(ComponentContent.maximumActions) actions", at: "actions")
    }
    var actions: [Action] = []
    for (index, given) in UnsafeBufferPointer(start: first, count: count).enumerated() {
        do throws(CrosstieError) {
            actions.append(try Action(given))
        } catch {
            throw CrosstieError(error.status, error.message, at: "actions[\(index)]")
        }
    }
    return actions
}

extension Action {
    fileprivate init(_ given: ctie_action) throws(CrosstieError) {
        guard let fn = given.fn else { throw CrosstieError(.invalid, "an action has no fn") }
        guard Int(given.flags) & ~(CTIE_ACTION_EVENT | CTIE_ACTION_WORKER_ONLY) == 0 else {
            throw CrosstieError(.invalid, "unknown flags of an action")
        }
        self.init(
            name: try string(given.name, named: "name", limit: Name.maximumSize), handler: fn,
            userData: given.user_data)
        doc = try string(given.doc, named: "doc", limit: Action.maximumDocSize)
        isEvent = Int(given.flags) & CTIE_ACTION_EVENT != 0
        isWorkerOnly = Int(given.flags) & CTIE_ACTION_WORKER_ONLY != 0
    }
}

@_cdecl("ctie_component_remove") @implementation
public func ctie_component_remove(_ bus: OpaquePointer?, _ name: ctie_str) -> ctie_status {
    pending(nil) { () throws(CrosstieError) in
        try BusRecord.removeComponent(
            Handle(bus), named: try string(name, named: "name", limit: Name.maximumSize))
    }
}
