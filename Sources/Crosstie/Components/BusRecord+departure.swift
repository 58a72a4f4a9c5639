/// Removing components. Each is first notified, with no lock held, then unlinked, then ended.
extension BusRecord {
    /// Removes the component of a name.
    package static func removeComponent(_ handle: Handle, named name: String) throws(CrosstieError) -> Status {
        guard !name.isEmpty else { throw CrosstieError(.noName, "a component needs a name", at: "name") }
        return try removeComponents(handle, "is called \(Quotation.quoted(name))") { $0.content.name == name }
    }

    /// Removes the components that have an instance, or where they have no factory this context.
    package static func removeComponents(
        _ handle: Handle, instance: UnsafeRawPointer?
    ) throws(CrosstieError) -> Status {
        guard let instance else { throw CrosstieError(.invalidArgument, "instance is NULL", at: "instance") }
        return try removeComponents(handle, "has this instance") { $0.instance.map(UnsafeRawPointer.init) == instance }
    }

    /// Removes the components of a type.
    package static func removeComponents(_ handle: Handle, type: String) throws(CrosstieError) -> Status {
        guard !type.isEmpty else { throw CrosstieError(.invalidArgument, "a type has a name", at: "type") }
        return try removeComponents(handle, "is of the type \(Quotation.quoted(type))") { $0.content.type == type }
    }

    /// - Throws: *noComponent* for none.
    private static func removeComponents(
        _ handle: Handle, _ what: String, where matches: (RegisteredComponent) -> Bool
    ) throws(CrosstieError) -> Status {
        let (bus, leaving) = try withState(handle) { bus, state throws(CrosstieError) in
            let leaving = state.components.components.values.filter(matches).compactMap(LeavingComponent.init)
            guard !leaving.isEmpty else { throw CrosstieError(.noComponent, "no component of the bus \(what)") }
            return (bus, leaving)
        }
        return remove(leaving, from: bus, handle)
    }

    static func remove(_ leaving: [LeavingComponent], from bus: Pointer, _ handle: Handle) -> Status {
        notifyDestroyed(leaving, on: handle)
        // The bus may be closing by now; it does not end before these have.
        bus.withLock {
            guard let state = bus.pointee.state else { return }
            for component in leaving { unlist(component.own, bus, state) }
        }
        announceComponents(handle)
        return end(leaving)
    }

    static func notifyDestroyed(_ leaving: [LeavingComponent], on handle: Handle) {
        for event in leaving.compactMap(\.destroyed).sorted(by: ComponentEvent.isBefore) { notify(event, on: handle) }
    }

    /// Ends components that nothing leads to any more.
    static func end(_ leaving: [LeavingComponent]) -> Status {
        let registrations = leaving.flatMap(\.registrations).compactMap(RegistrationRecord.at)
        return registrations.isEmpty ? .ok : RegistrationRecord.Pointer.endEach(registrations)
    }

    /// Takes a component off its bus, with the lock held, if it is there still.
    static func unlist(_ own: UInt32, _ bus: Pointer, _ state: BusState) {
        guard let component = state.components.components.removeValue(forKey: own) else { return }
        let content = component.content
        for (name, registration) in zip(component.names, component.registrations) {
            bus.clearAction(content.name, name, leadingTo: registration)
            RegistrationRecord.at(registration)?.leaveBus()
        }
        if state.components.names[content.name] == own { state.components.names[content.name] = nil }
        state.components.removeRecipient(component, own, on: bus)
    }
}
