/// The shared state of the actions of one component on one bus. It lives until the last of them has been destroyed;
/// then its instance is ended, and the host's data destroyed.
package final class RegisteredComponent: RegistrationOwner, @unchecked Sendable {
    package let content: ComponentContent
    private let maker: InstanceMaker?
    private var lazyActions: [LazyAction] = []
    /// The indexes of its own registration and of its actions', in their order. Only with the bus's lock.
    var registrations: [UInt32] = []
    /// Whether a thread is about to remove it, and will end its registrations. Only with the bus's lock.
    var isLeaving = false
    /// Whether its "created" event has run. Only with the bus's lock.
    var knowsOfItself = false

    /// Takes the content, and makes the instance unless it is lazy; no lock may be held.
    ///
    /// - Throws: the error of the factory; the content has been destroyed then.
    init(_ content: ComponentContent) throws(CrosstieError) {
        self.content = content
        maker = content.factory.map(InstanceMaker.init)
        super.init(InterceptorChain(content.interceptors))
        if content.isLazy, maker != nil {
            lazyActions = content.actions.map { LazyAction($0, of: self) }
        } else if let maker {
            _ = try named { () throws(CrosstieError) in try maker.instance(until: Clock.never, leaving: nil) }
        }
    }

    deinit {
        maker?.end()
        content.context.destroy()
        interceptors?.destroy()
    }

    var runtime: UnsafeRawPointer? { content.runtime }

    /// Its key for removal by instance; nil for one that has not been made.
    var instance: UnsafeMutableRawPointer? { maker == nil ? content.context.pointer : maker?.made }

    /// The registered content of one of its actions.
    func registration(ofActionAt index: Int) -> RegistrationContent {
        let action = content.actions[index]
        var registered: RegistrationContent
        if lazyActions.isEmpty {
            let context = CallbackContext(pointer: action.userData ?? instance, destroy: nil)
            registered = RegistrationContent(handler: action.handler, context: context, runtime: runtime)
        } else {
            registered = RegistrationContent(
                handler: LazyAction.call, context: CallbackContext(lending: lazyActions[index]), runtime: runtime)
        }
        registered.owner = self
        registered.name = "\(content.name).\(action.name)"
        if action.isWorkerOnly { registered.traits.insert(.workerOnly) }
        // The first call of a lazy component may take long.
        if action.isNonblocking, lazyActions.isEmpty { registered.traits.insert(.nonblocking) }
        return registered
    }

    /// The instance of a lazy component, for a request to one of its actions. The thread that makes it runs its event
    /// *created first.
    ///
    /// - Throws: *notAComponent* (the factory has failed), *deadlock* (inside it), *timedOut*.
    func instance(for block: RequestBlock.Pointer) throws(CrosstieError) -> UnsafeMutableRawPointer? {
        guard let maker else { return content.context.pointer }
        if let made = maker.made { return made }
        // One that runs with its caller's lock held must not keep it from the thread that makes the instance.
        let kept = block.pointee.runtime.flatMap { $0.identity == runtime ? $0 : nil }
        let (instance, isFresh) = try named { () throws(CrosstieError) in
            try maker.instance(until: block.pointee.deadline, leaving: kept)
        }
        if isFresh, let created = event(.created) { BusRecord.notifyCreated(created, on: block.pointee.busHandle) }
        return instance
    }
}

extension RegisteredComponent {
    /// Runs `make`, and names the component where that fails.
    private func named<Made>(_ make: () throws(CrosstieError) -> Made) throws(CrosstieError) -> Made {
        do throws(CrosstieError) {
            return try make()
        } catch {
            throw CrosstieError(error.status, "the component '\(content.name)': \(error.message)", at: error.location)
        }
    }
}

extension RegisteredComponent {
    /// Its last event: only a component that got "created" gets it. With the bus's lock.
    var farewell: ComponentEvent? { knowsOfItself || event(.created) == nil ? event(.destroyed) : nil }

    /// Its action for an event of its own life; nil for none, and for a lazy one that has never been made.
    func event(_ moment: ComponentMoment) -> ComponentEvent? {
        instance == nil && maker != nil ? nil : event(moment.rawValue)
    }

    /// The names of the events that it has an action for.
    var events: [String] { content.actions.compactMap { $0.isEvent ? $0.name : nil } }

    /// Its action for an event; nil for none. It must have been registered.
    func event(_ name: String) -> ComponentEvent? {
        guard let position = content.actions.firstIndex(where: { $0.name == name && $0.isEvent }),
            position + 1 < registrations.count, let action = RegistrationRecord.at(registrations[position + 1])
        else { return nil }
        return ComponentEvent(
            component: content.name, name: name, priority: content.priority,
            action: action.pointee.header.handle(.registration))
    }
}
