/// Sending events to components, one at a time.
extension BusRecord {
    /// The components that have an event, in the order in which they receive it.
    static func recipients(of event: String, on handle: Handle) throws(CrosstieError) -> [ComponentEvent] {
        let slot = ThreadSlot.current
        guard slot.hasRoomForRequest else {
            let text = ThreadSlot.refusal(of: "the event \(Quotation.quoted(event))", isLimit: slot.isAtMaximumDepth)
            throw CrosstieError(.nestedTooDeeply, text)
        }
        return try withState(handle) { _, state in state.components.components.values.compactMap { $0.event(event) } }
            .sorted(by: ComponentEvent.isBefore)
    }

    static func send(
        _ event: ComponentEvent, on handle: Handle, _ params: ValueRef, _ spec: RequestSpec
    ) -> Outcome {
        Callee.withBytes(event.component, event.name) { component, name in
            NamedRequest.call(.event, handle.pointer, component, name, params.pointer, spec, keeping: true)
        }
    }

    /// Notifies a component that it is registered. A component that has not been notified of that is not notified of its
    /// removal either.
    static func tellCreated(_ event: ComponentEvent, on handle: Handle) {
        tell(event, on: handle)
        _ = try? withState(handle) { _, state in state.component(of: event)?.knowsOfItself = true }
    }

    /// Notifies one component of its registration or removal. A failure is logged.
    static func tell(_ event: ComponentEvent, on handle: Handle) {
        var spec = RequestSpec(isLocal: true)
        spec.delivery = Held(RequestDelivery(nil, to: event.action, nil))
        let outcome = send(event, on: handle, .null, spec)
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
