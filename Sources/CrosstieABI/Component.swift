import CCrosstie
import Crosstie

@_cdecl("ctie_component_add") @implementation
public func ctie_component_add(
    _ bus: OpaquePointer?, _ name: ctie_str, _ actions: ctie_action_list, _ factory: ctie_factory,
    _ given: UnsafePointer<ctie_component_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let content = try content(name, actions, factory, given)
        let registration = try BusRecord.addComponent(Handle(bus), content)
        out?.pointee = registration.pointer
    }
}

/// The content of the registration. If any of it is refused, all of it is destroyed.
private func content(
    _ name: ctie_str, _ actions: ctie_action_list, _ factory: ctie_factory,
    _ given: UnsafePointer<ctie_component_options>?
) throws(CrosstieError) -> ComponentContent {
    var content = ComponentContent(name: "", context: factory.context)
    do throws(CrosstieError) {
        let given = try options(given, .component, default: ctie_component_options())
        content.interceptors = try take(given.interceptors, given.interceptor_count)
        content.name = try string(name, named: "name", limit: Name.maximumSize)
        content.factory = ComponentFactory(factory)
        try content.fill(given)
        content.actions = try read(actions)
        return content
    } catch {
        content.destroy()
        throw error
    }
}

/// - Throws: *invalidArgument* for an array that is NULL or misaligned, or an action without a function;
///   *limitExceeded*, *invalidUTF8*.
private func read(_ given: ctie_action_list) throws(CrosstieError) -> [ActionContent] {
    let count = given.count
    guard count != 0 else { return [] }
    guard let first = given.items, UInt(bitPattern: first) % UInt(MemoryLayout<ctie_action>.alignment) == 0 else {
        throw CrosstieError(.invalidArgument, "actions is NULL or misaligned", at: "actions")
    }
    guard (1...ComponentContent.maximumActions).contains(count) else {
        throw CrosstieError(
            .limitExceeded, "a component has at most \(ComponentContent.maximumActions) actions", at: "actions")
    }
    var actions: [ActionContent] = []
    for (index, given) in UnsafeBufferPointer(start: first, count: count).enumerated() {
        do throws(CrosstieError) {
            actions.append(try ActionContent(given))
        } catch {
            throw CrosstieError(error.status, error.message, at: "actions[\(index)]")
        }
    }
    return actions
}

extension ActionContent {
    /// - Throws: *invalidArgument* (no function, an unknown flag), *limitExceeded*, *invalidUTF8*.
    init(_ given: ctie_action) throws(CrosstieError) {
        guard let fn = given.fn else { throw CrosstieError(.invalidArgument, "an action has no fn") }
        let flags = Int(given.flags)
        let known =
            CTIE_ACTION_EVENT | CTIE_ACTION_WORKER_ONLY | CTIE_ACTION_IDEMPOTENT | CTIE_ACTION_NONBLOCKING
        try checkFlags(given.flags, among: known, at: "flags")
        self.init(
            name: try string(given.name, named: "name", limit: Name.maximumSize), handler: fn,
            userData: given.user_data)
        doc = try string(given.doc, named: "doc", limit: ComponentContent.maximumDocSize)
        isEvent = flags & CTIE_ACTION_EVENT != 0
        isWorkerOnly = flags & CTIE_ACTION_WORKER_ONLY != 0
        isIdempotent = flags & CTIE_ACTION_IDEMPOTENT != 0
        isNonblocking = flags & CTIE_ACTION_NONBLOCKING != 0
    }
}

extension ComponentContent {
    /// Applies the options, except for the interceptors.
    mutating func fill(_ given: ctie_component_options) throws(CrosstieError) {
        let flags = Int(given.flags)
        let known = CTIE_COMPONENT_REPLACE | CTIE_COMPONENT_LAZY | CTIE_COMPONENT_STATIC | CTIE_COMPONENT_EXPORTED
        try checkFlags(given.flags, among: known)
        isReplacing = flags & CTIE_COMPONENT_REPLACE != 0
        isLazy = flags & CTIE_COMPONENT_LAZY != 0
        isStatic = flags & CTIE_COMPONENT_STATIC != 0
        isExported = flags & CTIE_COMPONENT_EXPORTED != 0
        priority = given.priority
        doc = try string(given.doc, named: "doc", limit: Self.maximumDocSize)
        if given.language.size != 0 {
            language = try string(given.language, named: "language", limit: Name.maximumSize)
        }
        type = try string(given.type, named: "type", limit: Name.maximumSize)
        dispatcher = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
        runtime = try CrosstieABI.runtime(given.runtime)?.identity
    }
}

extension ComponentFactory {
    /// A host's functions; nil if the host passed the instance itself.
    init?(_ given: ctie_factory) {
        guard let create = given.fn else { return nil }
        self.init(
            create: { () throws(CrosstieError) in
                guard let instance = create(given.user_data) else {
                    throw CrosstieError(.notAComponent, "its factory gave nothing")
                }
                return instance
            },
            end: { given.end?($0) })
    }
}

@_cdecl("ctie_component_remove") @implementation
public func ctie_component_remove(_ bus: OpaquePointer?, _ name: ctie_str, _ error: ErrorOut) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        try BusRecord.removeComponent(
            Handle(bus), named: try string(name, named: "name", limit: Name.maximumSize))
    }
}

@_cdecl("ctie_component_remove_instance") @implementation
public func ctie_component_remove_instance(
    _ bus: OpaquePointer?, _ instance: UnsafeRawPointer?, _ error: ErrorOut
) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        try BusRecord.removeComponents(Handle(bus), instance: instance)
    }
}

@_cdecl("ctie_component_remove_type") @implementation
public func ctie_component_remove_type(_ bus: OpaquePointer?, _ type: ctie_str, _ error: ErrorOut) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        try BusRecord.removeComponents(
            Handle(bus), type: try string(type, named: "type", limit: Name.maximumSize))
    }
}
