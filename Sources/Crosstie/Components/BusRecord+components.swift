import Synchronization

/// Registering components.
extension BusRecord {
    /// Registers a component. The content is destroyed if this fails.
    package static func addComponent(_ handle: Handle, _ content: ComponentContent) throws(CrosstieError) -> Handle {
        guard let own = try addComponents(handle, [content]).first else {
            throw CrosstieError(.notAComponent, "there is nothing to register")
        }
        return own
    }

    /// Registers several components, or none of them; what they hold is destroyed then.
    static func addComponents(_ handle: Handle, _ contents: [ComponentContent]) throws(CrosstieError) -> [Handle] {
        do throws(CrosstieError) {
            try check(contents)
            try withState(handle) { _, state throws(CrosstieError) in
                for content in contents { _ = try state.componentReplaced(by: content) }
            }
        } catch {
            for content in contents { content.destroy() }
            throw error
        }
        let insertion = try insert(contents, handle)
        for event in insertion.created { notifyCreated(event, on: handle) }
        announceComponents(handle)
        return insertion.handles
    }

    /// Makes them and registers them, each in place of another. Nothing holds a reference to them when this returns: a
    /// thread that removes one meanwhile ends it.
    private static func insert(
        _ contents: [ComponentContent], _ handle: Handle
    ) throws(CrosstieError) -> Insertion {
        let components = try make(contents)
        let (bus, leaving) = try claimReplaced(handle, by: components)
        notifyDestroyed(leaving, on: handle)
        do throws(CrosstieError) {
            let insertion = try withState(handle) { bus, state throws(CrosstieError) in
                try insert(components, bus, state)
            }
            _ = end(leaving + insertion.alsoReplaced)
            return insertion
        } catch {
            giveUp(leaving, on: bus)
            throw error
        }
    }

    private static func check(_ contents: [ComponentContent]) throws(CrosstieError) {
        var names: Set<String> = []
        for content in contents {
            try content.check()
            guard names.insert(content.name).inserted else {
                throw CrosstieError(.conflict, "two components are called \(content.name)", at: "name")
            }
        }
    }

    /// Calls their factories. When one fails the others are destroyed, too.
    private static func make(_ contents: [ComponentContent]) throws(CrosstieError) -> [RegisteredComponent] {
        var components: [RegisteredComponent] = []
        do throws(CrosstieError) {
            for content in contents { components.append(try RegisteredComponent(content)) }
            return components
        } catch {
            for content in contents.dropFirst(components.count + 1) { content.destroy() }
            throw error
        }
    }

    /// Claims the components that others replace.
    private static func claimReplaced(
        _ handle: Handle, by components: [RegisteredComponent]
    ) throws(CrosstieError) -> (Pointer, [LeavingComponent]) {
        try withState(handle) { bus, state throws(CrosstieError) in
            var before: [RegisteredComponent] = []
            for component in components {
                if let other = try state.componentReplaced(by: component.content) { before.append(other) }
            }
            return (bus, before.compactMap(LeavingComponent.init))
        }
    }

    /// Puts the claimed components back, except those that a closing bus has removed meanwhile: for these it waits
    /// until the claiming thread has ended them.
    private static func giveUp(_ leaving: [LeavingComponent], on bus: Pointer) {
        guard !leaving.isEmpty else { return }
        let takenOff = bus.withLock {
            leaving.filter { claimed in
                guard let component = bus.pointee.state?.components.components[claimed.own] else { return true }
                component.isLeaving = false
                return false
            }
        }
        _ = end(takenOff)
    }

    /// The result of registering components.
    private struct Insertion {
        var handles: [Handle] = []
        var created: [ComponentEvent] = []
        /// Other threads have registered components of these names while the replaced ones were notified.
        var alsoReplaced: [LeavingComponent] = []
    }

    /// With the lock held. The replaced components are unlisted; the thread that has claimed them ends them.
    private static func insert(
        _ components: [RegisteredComponent], _ bus: Pointer, _ state: BusState
    ) throws(CrosstieError) -> Insertion {
        var insertion = Insertion()
        let before = try components.map { component throws(CrosstieError) in
            try state.componentReplaced(by: component.content)
        }
        insertion.alsoReplaced = before.compactMap { $0.flatMap(LeavingComponent.init) }
        for component in components { component.dispatcher = try state.dispatcher(component.content.dispatcher) }
        try bus.makeRoom(forActions: components.reduce(0) { $0 + $1.names.count })
        try makeRegistrations(of: components, on: bus)
        for (component, before) in zip(components, before) {
            publish(component, bus, state)
            if let before = before?.registrations.first { unlist(before, bus, state) }
            insertion.handles += component.registrations.prefix(1).compactMap(RegistrationRecord.at).map {
                $0.pointee.header.handle(.registration)
            }
            if let created = component.event(.created) { insertion.created.append(created) }
        }
        return insertion
    }

    /// Lets each of a component's names lead to it, one after the other.
    private static func publish(_ component: RegisteredComponent, _ bus: Pointer, _ state: BusState) {
        if component.content.actions.contains(where: \.isNonblocking) {
            bus.pointee.mayCallAtOnce.store(true, ordering: .relaxed)
        }
        for (name, registration) in zip(component.names, component.registrations) {
            bus.setAction(component.content.name, name, to: registration)
        }
        guard let own = component.registrations.first else { return }
        state.components.components[own] = component
        state.components.names[component.content.name] = own
        state.components.addRecipient(component, own, on: bus)
    }

    /// Of each component one of its own, then those of its actions.
    private static func makeRegistrations(
        of components: [RegisteredComponent], on bus: Pointer
    ) throws(CrosstieError) {
        var made: [RegistrationRecord.Pointer] = []
        for component in components {
            let actions = component.content.actions.indices.map { component.registration(ofActionAt: $0) }
            for content in [RegistrationContent(of: component)] + actions {
                guard let registration = RegistrationRecord.make(content, on: bus) else {
                    for registration in made { registration.discard() }
                    throw CrosstieError(.outOfMemory, "no room for another registration")
                }
                made.append(registration)
                component.registrations.append(registration.pointee.header.index)
            }
        }
    }

    /// The components of a bus, by name.
    package static func listComponents(_ handle: Handle) throws(CrosstieError) -> [ComponentDescription] {
        let all = try withState(handle) { _, state in
            state.components.components.values.map { ComponentDescription($0.content) }
        }
        return all.sorted { $0.name < $1.name }
    }

    /// The components that are exported by themselves, and all `component.action` that are idempotent.
    package static func offeredComponents(_ handle: Handle) -> (exported: [String], idempotent: [String]) {
        let all = (try? withState(handle) { _, state in state.components.components.values.map(\.content) }) ?? []
        let actions = all.flatMap { component in
            component.actions.filter(\.isIdempotent).map { "\(component.name).\($0.name)" }
        }
        return (all.filter(\.isExported).map(\.name).sorted(), actions.sorted())
    }

    /// The same as ``listComponents(_:)``, then the components of peers.
    package static func listComponentsAnywhere(_ handle: Handle) throws(CrosstieError) -> [ComponentDescription] {
        let here = try listComponents(handle)
        return here + componentsElsewhere(handle).map(ComponentDescription.init).sorted { $0.name < $1.name }
    }
}

extension BusState {
    /// The component that another one would replace; nil for none.
    ///
    /// - Throws: *conflict*; *notFound* (the dispatcher); *invalidHandle* (the bus is closing).
    fileprivate func componentReplaced(by content: ComponentContent) throws(CrosstieError) -> RegisteredComponent? {
        guard !isClosing else { throw CrosstieError(.invalidHandle, "the bus is closing") }
        _ = try dispatcher(content.dispatcher)
        guard let before = components.names[content.name].flatMap({ components.components[$0] }) else { return nil }
        guard content.isReplacing else {
            throw CrosstieError(.conflict, "there is a component \(content.name)", at: "name")
        }
        return before
    }
}

extension RegisteredComponent {
    /// The keys of its registrations, in order; the component itself has the empty action name.
    var names: [String] { [""] + content.actions.map(\.name) }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    /// Lets an action's names lead to a registration; with the lock held. There must be room.
    fileprivate func setAction(_ component: String, _ action: String, to registration: UInt32) {
        guard let table = ActionTable(pointee.actions.load(ordering: .relaxed)) else { return }
        ActionKey.with(component, action, seed: pointee.actionSeed) {
            table.set($0, to: RegistrationRecord.at(registration))
        }
    }

    /// Sees to it that so many more actions fit; with the lock held.
    func makeRoom(forActions count: Int) throws(CrosstieError) {
        let table = ActionTable(pointee.actions.load(ordering: .relaxed))
        guard table?.hasRoom(for: count) != true else { return }
        guard let fresh = table.map({ $0.grown(for: count) }) ?? ActionTable.empty(for: count) else {
            throw .outOfMemory
        }
        pointee.actions.store(fresh.address, ordering: .releasing)
        guard let table else { return }
        ReadSide.waitForReaders()
        table.free(isAdopted: true)
    }

    /// Lets an action's names lead nowhere, unless they lead to another one by now; with the lock held.
    func clearAction(_ component: String, _ action: String, leadingTo registration: UInt32) {
        guard let table = ActionTable(pointee.actions.load(ordering: .relaxed)) else { return }
        ActionKey.with(component, action, seed: pointee.actionSeed) { key in
            if table.find(key)?.pointee.header.index == registration { table.clear(key) }
        }
    }
}
