import Synchronization

/// The components of a bus.
final class ComponentsPart: BusPart {
    /// The components by the index of their own registration.
    var components: [UInt32: RegisteredComponent] = [:]
    /// The same by name.
    var names: [String: UInt32] = [:]
    /// The components that have an action for an event, by the event's name.
    private var audiences: [String: Set<UInt32>] = [:]
    /// The lists that the table of actions leads to.
    private var lists: [String: RecipientList] = [:]
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

    override func announceClosing(of bus: Handle) { BusRecord.notifyDestroyed(closing, on: bus) }

    override func finishAnnouncing() {
        for component in closing { components[component.own]?.isLeaving = false }
        closing = []
    }

    /// Takes those of all components. A thread that is just removing one ends its registrations; closing waits for that.
    override func takeRegistrations(from bus: BusRecord.Pointer) -> [RegistrationRecord.Pointer] {
        let all = Array(components.values)
        (components, names, audiences) = ([:], [:], [:])
        for index in all.filter(\.isLeaving).flatMap(\.registrations) { RegistrationRecord.at(index)?.leaveBus() }
        return all.filter { !$0.isLeaving }.flatMap(\.registrations).compactMap(RegistrationRecord.at)
    }

    override func free(_ bus: BusRecord.Pointer) {
        ActionTable(bus.pointee.actions.exchange(0, ordering: .acquiringAndReleasing))?.free(isAdopted: false)
        for list in lists.values { list.free() }
        lists = [:]
    }

    // MARK: Events

    /// The components that have an event, in the order in which they receive it.
    func recipients(of event: String) -> [ComponentEvent] {
        (audiences[event] ?? []).compactMap { components[$0]?.event(event) }.sorted(by: ComponentEvent.isBefore)
    }

    /// Lets broadcasts of an event find its recipients without the lock. Does nothing without memory.
    func publish(_ recipients: [ComponentEvent], of event: String, on bus: BusRecord.Pointer) {
        guard lists[event] == nil, !recipients.isEmpty, let list = RecipientList.make(of: recipients) else { return }
        guard (try? bus.makeRoom(forActions: 1)) != nil, bus.set(list, for: event) else { return list.free() }
        lists[event] = list
    }

    func addRecipient(_ component: RegisteredComponent, _ own: UInt32, on bus: BusRecord.Pointer) {
        for event in component.events { audiences[event, default: []].insert(own) }
        forgetLists(of: component, on: bus)
    }

    func removeRecipient(_ component: RegisteredComponent, _ own: UInt32, on bus: BusRecord.Pointer) {
        for event in component.events {
            audiences[event]?.remove(own)
            if audiences[event]?.isEmpty == true { audiences[event] = nil }
        }
        forgetLists(of: component, on: bus)
    }

    /// Unlinks the lists of a component's events, which its coming or leaving has changed, and frees them when nobody
    /// reads them any more. The next broadcast makes new ones.
    private func forgetLists(of component: RegisteredComponent, on bus: BusRecord.Pointer) {
        let former = component.events.compactMap { event in
            let list = lists.removeValue(forKey: event)
            if list != nil { bus.clearRecipients(of: event) }
            return list
        }
        guard !former.isEmpty else { return }
        ReadSide.waitForReaders()
        for list in former { list.free() }
    }
}

extension BusState {
    var components: ComponentsPart { part(ComponentsPart.self) }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    /// Lets an event's name lead to its recipients, with the lock held. There must be room. False without a table.
    fileprivate func set(_ list: RecipientList, for event: String) -> Bool {
        guard let table = ActionTable(pointee.actions.load(ordering: .relaxed)) else { return false }
        ActionKey.with("", event, seed: pointee.actionSeed) { table.set($0, to: list) }
        return true
    }

    /// Lets an event's name lead nowhere, with the lock held.
    fileprivate func clearRecipients(of event: String) {
        guard let table = ActionTable(pointee.actions.load(ordering: .relaxed)) else { return }
        ActionKey.with("", event, seed: pointee.actionSeed) { table.clear($0) }
    }
}
