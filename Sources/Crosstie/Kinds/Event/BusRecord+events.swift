/// Events: requests to every component that has an action for them.
extension BusRecord {
    /// Runs an event over the components that handle it. Takes the interceptors and the delivery of `spec`.
    ///
    /// - Parameter params: a map, a foreign value or null; borrowed.
    package static func broadcast(
        _ handle: Handle, _ event: String, _ params: ValueRef, _ spec: RequestSpec
    ) throws(CrosstieError) -> BroadcastResult {
        let shared = spec.interceptors.map(SharedInterceptors.init)
        let delivery = spec.delivery?.take()
        try checkEvent(event)
        return try send(event, on: handle, params, spec, delivery, shared) { true }
    }

    static func checkEvent(_ event: String) throws(CrosstieError) {
        guard !event.isEmpty else { throw CrosstieError(.noName, "an event needs a name", at: "event") }
        try Name.check(event, "an event's name", at: "event")
    }

    /// Runs an event over the components that handle it, one after the other, until it ends.
    ///
    /// - Parameters:
    ///   - spec: without interceptors and delivery, which have been taken.
    ///   - delivery: how each request shall be delivered, if its caller has said so.
    static func send(
        _ event: String, on handle: Handle, _ params: ValueRef, _ spec: RequestSpec, _ delivery: RequestDelivery?,
        _ interceptors: SharedInterceptors?, while goesOn: () -> Bool
    ) throws(CrosstieError) -> BroadcastResult {
        var (spec, result) = (spec, BroadcastResult())
        spec.interceptors = nil
        for recipient in try recipients(of: event, on: handle) where goesOn() {
            spec.delivery = Held(RequestDelivery(delivery, to: recipient.action, interceptors))
            let outcome = send(recipient, on: handle, params, spec)
            guard let block = outcome.block else { throw outcome.error }
            result.note(outcome.status, Response(block), of: recipient.component)
            block.drop()
        }
        return result
    }

    private static func recipients(of event: String, on handle: Handle) throws(CrosstieError) -> [ComponentEvent] {
        guard ThreadSlot.current.hasRoomForRequest else { throw CrosstieError(.nestedTooDeeply, "") }
        return try withState(handle) { _, state in state.components.values.compactMap { $0.event(event) } }
            .sorted(by: ComponentEvent.isBefore)
    }

    private static func send(
        _ event: ComponentEvent, on handle: Handle, _ params: ValueRef, _ spec: RequestSpec
    ) -> Outcome {
        Callee.withBytes(event.component, event.name) { component, name in
            NamedRequest.call(.event, handle.pointer, component, name, params.pointer, spec, keeping: true)
        }
    }

    /// Tells a component that it is there. A component does not get "destroyed" before "created" has run.
    static func tellCreated(_ event: ComponentEvent, on handle: Handle) {
        tell(event, on: handle)
        _ = try? withState(handle) { _, state in state.component(of: event)?.knowsOfItself = true }
    }

    /// Tells one component what becomes of it. Its failure is logged.
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
        componentNames[event.component].flatMap { components[$0] }
            .flatMap { $0.registrations.contains(event.action.index) && event.isAlive ? $0 : nil }
    }
}

extension BroadcastResult {
    /// A component that has been removed meanwhile, or has declined, does not have the event.
    fileprivate mutating func note(_ status: Status, _ response: Response, of component: String) {
        guard status != .noComponent, status != .noAction else { return }
        count += 1
        if status.isSuccess {
            any = any || response.value.boolValue == true
        } else {
            failures.append(
                BroadcastFailure(
                    component: component, status: status, code: response.code, message: response.error.message))
        }
    }
}
