/// An action of a component: a handler under a name.
package struct Action {
    package var name: String
    package var doc = ""
    package var handler: HandlerFunction
    /// What the handler gets; nil for the component's own.
    package var userData: UnsafeMutableRawPointer?
    /// Whether it hears the event of its name.
    package var isEvent = false
    package var isWorkerOnly = false

    package init(name: String, handler: @escaping HandlerFunction, userData: UnsafeMutableRawPointer? = nil) {
        self.name = name
        self.handler = handler
        self.userData = userData
    }

    /// Bytes of a doc at most.
    package static var maximumDocSize: Int { 4096 }
}

/// What a component is made of.
package struct ComponentContent {
    package var name: String
    package var doc = ""
    package var language = "c"
    /// What kind of thing it is, for removing all of a kind; empty for none.
    package var type = ""
    /// Where its asynchronous calls run; empty for the bus's default.
    package var dispatcher = ""
    package var priority: Int32 = 0
    package var isStatic = false
    package var isReplacing = false
    package var actions: [Action] = []
    package var runtime: UnsafeRawPointer?
    package var interceptors: [Interceptor] = []
    package var context: CallbackContext

    package init(name: String, context: CallbackContext) {
        self.name = name
        self.context = context
    }

    package static var maximumActions: Int { 1024 }

    /// - Throws: *noName*, *identifier*, *notComponent* (no action), *limit*, *conflict* (two actions of one name).
    package func check() throws(CrosstieError) {
        guard !name.isEmpty else { throw CrosstieError(.noName, "a component needs a name", at: "name") }
        try Name.check(name)
        guard !actions.isEmpty else { throw CrosstieError(.notComponent, "\(name) has no actions", at: "actions") }
        guard actions.count <= Self.maximumActions else {
            throw CrosstieError(.limit, "a component has at most \(Self.maximumActions) actions", at: "actions")
        }
        var names: Set<String> = []
        for (index, action) in actions.enumerated() {
            guard Name.isValid(action.name) else {
                throw CrosstieError(.identifier, "an action's name is \(Name.grammar)", at: "actions[\(index)].name")
            }
            guard names.insert(action.name).inserted else {
                throw CrosstieError(.conflict, "two actions are called \(action.name)", at: "actions[\(index)].name")
            }
        }
    }

    /// Tells the host that nothing of it is needed: it could not be registered.
    package func destroy() {
        context.destroy()
        for interceptor in interceptors { interceptor.context.destroy() }
    }
}

/// What the actions of one component share. It lives until the last of them has been destroyed, and tells the host then that
/// it is not needed any more.
package final class Component: @unchecked Sendable {
    package let content: ComponentContent
    let interceptors: InterceptorChain?
    /// The indexes of its own registration and of its actions', in their order. Only with the bus's lock.
    var registrations: [UInt32] = []
    /// The index of the dispatcher; set before anybody can find it.
    var dispatcher: UInt8 = 0

    /// Takes the content.
    init(_ content: ComponentContent) {
        self.content = content
        interceptors = InterceptorChain(content.interceptors)
    }

    deinit {
        content.context.destroy()
        interceptors?.destroy()
    }

    var runtime: UnsafeRawPointer? { content.runtime }

    /// What an action gets.
    func userData(of action: Action?) -> UnsafeMutableRawPointer? { action?.userData ?? content.context.pointer }
}
