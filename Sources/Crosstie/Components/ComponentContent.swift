/// The parts of a component.
package struct ComponentContent {
    package var name: String
    package var doc = ""
    package var language = "c"
    /// The component's type, for removing all of a type; empty for none.
    package var type = ""
    /// Where its asynchronous calls run; empty for the bus's default.
    package var dispatcher = ""
    package var priority: Int32 = 0
    package var isStatic = false
    package var isReplacing = false
    /// Whether peers may call it, as if every join of the bus exported it.
    package var isExported = false
    /// Whether its factory is called at the first call only.
    package var isLazy = false
    package var factory: ComponentFactory?
    package var actions: [ActionContent] = []
    package var runtime: UnsafeRawPointer?
    package var interceptors: [Interceptor] = []
    package var context: CallbackContext

    package init(name: String, context: CallbackContext) {
        self.name = name
        self.context = context
    }

    package static var maximumActions: Int { 1024 }
    /// Bytes of a doc at most.
    package static var maximumDocSize: Int { 4096 }

    /// - Throws: *noName*, *invalidIdentifier*, *notAComponent* (no action), *limitExceeded*, *conflict* (two actions of one name),
    ///   *invalidArgument* (flags of an action that exclude each other).
    package func check() throws(CrosstieError) {
        guard !name.isEmpty else { throw CrosstieError(.noName, "a component needs a name", at: "name") }
        try Name.check(name)
        guard !actions.isEmpty else { throw CrosstieError(.notAComponent, "\(name) has no actions", at: "actions") }
        guard actions.count <= Self.maximumActions else {
            throw CrosstieError(
                .limitExceeded, "'\(name)' has \(actions.count) actions, over \(Self.maximumActions)", at: "actions")
        }
        var names: Set<String> = []
        for (index, action) in actions.enumerated() {
            try Name.check(action.name, "an action's name", at: "actions[\(index)].name")
            guard names.insert(action.name).inserted else {
                throw CrosstieError(.conflict, "two actions are called \(action.name)", at: "actions[\(index)].name")
            }
            guard !action.isNonblocking || !action.isWorkerOnly else {
                throw CrosstieError(
                    .invalidArgument, "an action is for workers only, or does not block", at: "actions[\(index)].flags")
            }
        }
    }

    /// Tells the host that nothing of it is needed: it could not be registered.
    package func destroy() {
        context.destroy()
        for interceptor in interceptors { interceptor.context.destroy() }
    }
}
