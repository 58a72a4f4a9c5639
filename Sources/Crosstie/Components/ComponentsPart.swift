import Synchronization

/// The components of a bus.
final class ComponentsPart: BusPart {
    /// The components by the index of their own registration.
    var components: [UInt32: RegisteredComponent] = [:]
    /// The same by name.
    var names: [String: UInt32] = [:]
    /// The plug-ins by the paths that they were loaded by.
    var plugins: [String: LoadedPlugin] = [:]
    /// The components that are notified that the bus closes.
    private var closing: [LeavingComponent] = []

    override func remove(_ registration: RegistrationRecord.Pointer, from bus: BusRecord.Pointer) -> Removal {
        guard let component = components[registration.pointee.header.index] else { return .foreign }
        guard let leaving = LeavingComponent(component) else { return .taken }
        return .begun { BusRecord.remove([leaving], from: bus, bus.handle) }
    }

    override func prepareToClose() { closing = components.values.compactMap(LeavingComponent.init) }

    override func announceClosing(of bus: Handle) { BusRecord.tellDestroyed(closing, on: bus) }

    override func finishAnnouncing() {
        for component in closing { components[component.own]?.isLeaving = false }
        closing = []
    }

    /// Takes those of all components. A thread that is just removing one ends its registrations; closing waits for that.
    override func takeRegistrations(from bus: BusRecord.Pointer) -> [RegistrationRecord.Pointer] {
        let all = Array(components.values)
        (components, names) = ([:], [:])
        for index in all.filter(\.isLeaving).flatMap(\.registrations) { RegistrationRecord.at(index)?.leaveBus() }
        return all.filter { !$0.isLeaving }.flatMap(\.registrations).compactMap(RegistrationRecord.at)
    }

    override func free(_ bus: BusRecord.Pointer) {
        ActionTable(bus.pointee.actions.exchange(0, ordering: .acquiringAndReleasing))?.free(isAdopted: false)
    }
}

extension BusState {
    var components: ComponentsPart { part(ComponentsPart.self) }
}
