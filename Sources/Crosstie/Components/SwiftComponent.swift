/// The state of a registered component written in Swift: its object, once made, and its actions' closures.
final class SwiftComponent: @unchecked Sendable {
    private let make: @Sendable () throws -> AnyObject?
    private let actions: [SwiftAction]
    /// Written once, before any action can run.
    private var object: AnyObject?

    init(_ actions: [Action], make: @escaping @Sendable () throws -> AnyObject?) {
        self.actions = actions.map(SwiftAction.init)
        self.make = make
    }

    /// The object's address, or this one's for a component of closures alone.
    fileprivate func create(_ name: String) throws(CrosstieError) -> UnsafeMutableRawPointer {
        do {
            object = try make()
        } catch {
            throw CrosstieError(.notAComponent, "it could not be made: \(error)")
        }
        for action in actions { try action.bind(object) }
        return CallbackContext.address(of: object ?? self)
    }

    fileprivate func end() {
        for action in actions { action.handler = nil }
        object = nil
    }

    /// - Throws: *limitExceeded*.
    func content(_ name: String, type: String, _ options: ComponentOptions) throws(CrosstieError) -> ComponentContent {
        try options.check()
        for action in actions where action.action.doc.utf8.count > ComponentContent.maximumDocSize {
            throw CrosstieError(.limitExceeded, "an action's doc has at most 4,096 bytes", at: action.action.name)
        }
        let interceptors = try Interceptor.all(options.interceptors)
        var content = ComponentContent(name: name, context: CallbackContext(holding: self))
        (content.doc, content.dispatcher, content.priority) = (options.doc, options.dispatcher, options.priority)
        (content.language, content.type, content.isReplacing) = ("swift", type, options.isReplacing)
        (content.interceptors, content.isExported) = (interceptors, options.isExported)
        content.actions = actions.map(\.content)
        content.factory = ComponentFactory(
            create: { [unowned self] () throws(CrosstieError) in try create(name) },
            end: { [unowned self] _ in end() })
        return content
    }
}

/// An action of a component written in Swift.
private final class SwiftAction {
    let action: Action
    /// Nil while there is no object.
    var handler: Handler?

    init(_ action: Action) { self.action = action }

    /// - Throws: *notAComponent* for a method of another type than the object's.
    func bind(_ object: AnyObject?) throws(CrosstieError) {
        handler = action.bind(object)
        guard handler != nil else {
            throw CrosstieError(.notAComponent, "\(action.name) is a method of another type than the component's")
        }
    }

    var content: ActionContent {
        var content = ActionContent(
            name: action.name, handler: SwiftAction.call, userData: CallbackContext(lending: self).pointer)
        (content.doc, content.isEvent, content.isWorkerOnly) = (action.doc, action.isEvent, action.isWorkerOnly)
        (content.isIdempotent, content.isNonblocking) = (action.isIdempotent, action.isNonblocking)
        return content
    }

    private static let call: HandlerFunction = { raw, context in
        guard let handler = CallbackContext.object(context, as: SwiftAction.self)?.handler else { return }
        Request(Handle(bits: UInt(bitPattern: raw))).handle(by: handler)
    }
}
