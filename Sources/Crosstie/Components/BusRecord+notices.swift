/// Notifying components of their registration and removal.
extension BusRecord {
    /// Notifies a component that it is registered. A component that has not been notified of that is not notified of its
    /// removal either.
    static func notifyCreated(_ event: ComponentEvent, on handle: Handle) {
        notify(event, on: handle)
        _ = try? withState(handle) { _, state in state.component(of: event)?.knowsOfItself = true }
    }

    /// Notifies one component of its registration or removal. A failure is logged.
    static func notify(_ event: ComponentEvent, on handle: Handle) {
        let outcome = Callee.withBytes(event.component, event.name) { component, name in
            NamedRequest.send(Callee(component, name, .null), to: event.action, on: handle, nil)
        }
        if !outcome.status.isSuccess, outcome.status != .noComponent {
            write(to: handle, .warning, "\(event.component) failed \(event.name): \(outcome.error.message)")
        }
        outcome.block?.drop()
    }
}

extension BusState {
    /// The component whose action an event is for; nil if it has been removed.
    fileprivate func component(of event: ComponentEvent) -> RegisteredComponent? {
        components.names[event.component].flatMap { components.components[$0] }
            .flatMap { $0.registrations.contains(event.action.index) && event.isAlive ? $0 : nil }
    }
}
