import Synchronization

/// Registering and removing components.
extension BusRecord {
    /// Registers a component. The content is destroyed if this fails.
    package static func addComponent(_ handle: Handle, _ content: ComponentContent) throws(CrosstieError) -> Handle {
        do throws(CrosstieError) {
            try content.check()
        } catch {
            content.destroy()
            throw error
        }
        let component = Component(content)
        let (registration, replaced) = try withState(handle) { bus, state throws(CrosstieError) in
            try insert(component, bus, state)
        }
        if !replaced.isEmpty { _ = Registration.Pointer.endEach(replaced) }
        return registration
    }

    /// With the lock held. Gives what it has replaced.
    private static func insert(
        _ component: Component, _ bus: Pointer, _ state: BusState
    ) throws(CrosstieError) -> (Handle, replaced: [Registration.Pointer]) {
        let content = component.content
        let before = state.componentNames[content.name].flatMap { state.components[$0] }
        guard before == nil || content.isReplacing else {
            throw CrosstieError(.conflict, "there is a component \(content.name)", at: "name")
        }
        component.dispatcher = try state.dispatcher(content.dispatcher)
        let registrations = try makeRegistrations(of: component, on: bus)
        component.registrations = registrations.map { $0.pointee.header.index }
        let names = [""] + content.actions.map(\.name)
        for (name, registration) in zip(names, registrations) {
            bus.setAction(content.name, name, to: registration)
        }
        let replaced = before.map { unlist($0, bus, state, unless: Set(names)) } ?? []
        state.components[component.registrations[0]] = component
        state.componentNames[content.name] = component.registrations[0]
        return (registrations[0].pointee.header.handle(.registration), replaced)
    }

    private static func makeRegistrations(
        of component: Component, on bus: Pointer
    ) throws(CrosstieError) -> [Registration.Pointer] {
        var made: [Registration.Pointer] = []
        let contents =
            [RegistrationContent(of: component)]
            + component.content.actions.map { RegistrationContent(of: component, action: $0) }
        for content in contents {
            guard let registration = Registration.make(content, on: bus) else {
                for registration in made { registration.discard() }
                throw CrosstieError(.noMemory, "no room for another registration")
            }
            made.append(registration)
        }
        return made
    }

    /// Takes a component off its bus, with the lock held. Gives its registrations, which are to be ended.
    ///
    /// - Parameter taken: the names of actions that lead to another component already.
    static func unlist(
        _ component: Component, _ bus: Pointer, _ state: BusState, unless taken: Set<String> = []
    ) -> [Registration.Pointer] {
        let content = component.content
        for name in [""] + content.actions.map(\.name) where !taken.contains(name) {
            bus.setAction(content.name, name, to: nil)
        }
        if let own = component.registrations.first {
            state.components[own] = nil
            if state.componentNames[content.name] == own { state.componentNames[content.name] = nil }
        }
        let registrations = component.registrations.compactMap(Registration.at)
        for registration in registrations { registration.leaveBus() }
        return registrations
    }

    /// Removes the component of a name.
    package static func removeComponent(_ handle: Handle, named name: String) throws(CrosstieError) -> Status {
        guard !name.isEmpty else { throw CrosstieError(.noName, "a component needs a name", at: "name") }
        return try removeComponents(handle) { $0.content.name == name }
    }

    /// Removes every component for which `matches` is true.
    ///
    /// - Throws: *noComponent* for none.
    package static func removeComponents(
        _ handle: Handle, where matches: (Component) -> Bool
    ) throws(CrosstieError) -> Status {
        let removed = try withState(handle) { bus, state throws(CrosstieError) in
            let components = state.components.values.filter(matches)
            guard !components.isEmpty else { throw CrosstieError(.noComponent, "there is no such component") }
            return components.flatMap { unlist($0, bus, state) }
        }
        return Registration.Pointer.endEach(removed)
    }

    /// The components of a bus, by name.
    package static func listComponents(_ handle: Handle) throws(CrosstieError) -> [Component] {
        try withState(handle) { _, state in state.components.values.sorted { $0.content.name < $1.content.name } }
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    /// Lets an action's names lead to a registration, or nowhere; with the lock held.
    fileprivate func setAction(_ component: String, _ action: String, to registration: Registration.Pointer?) {
        let table = ActionTable(pointee.actions.load(ordering: .relaxed)) ?? publish(.make(capacity: 64))
        let roomy = table.hasRoom ? table : grow(table)
        ActionKey.with(component, action, seed: pointee.actionSeed) { roomy.set($0, to: registration) }
    }

    private func publish(_ table: ActionTable) -> ActionTable {
        pointee.actions.store(table.address, ordering: .releasing)
        return table
    }

    private func grow(_ table: ActionTable) -> ActionTable {
        let fresh = publish(table.grown())
        ReadSide.waitForReaders()
        table.free(isAdopted: true)
        return fresh
    }
}
