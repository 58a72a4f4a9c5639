/// Events: requests to every component that has an action for them.
extension BusRecord {
    /// Runs an event over the components that hear it. Takes the order's interceptors.
    ///
    /// - Parameter params: a map, a foreign value or null; borrowed.
    package static func broadcast(
        _ handle: Handle, _ event: String, _ params: ValueRef, _ order: RequestOrder
    ) throws(CrosstieError) -> BroadcastResult {
        let shared = order.interceptors.map(SharedInterceptors.init)
        var order = order
        order.interceptors = nil
        guard !event.isEmpty else { throw CrosstieError(.noName, "an event needs a name", at: "event") }
        guard Name.isValid(event) else {
            throw CrosstieError(.identifier, "an event's name is \(Name.grammar)", at: "event")
        }
        var result = BroadcastResult()
        for recipient in try recipients(of: event, on: handle) {
            let outcome = send(recipient, on: handle, params, order, shared)
            guard let block = outcome.block else { throw outcome.error }
            result.note(outcome.status, Response(block), of: recipient.component)
            block.drop()
        }
        return result
    }

    private static func recipients(of event: String, on handle: Handle) throws(CrosstieError) -> [ComponentEvent] {
        guard ThreadSlot.current.hasRoomForRequest else { throw CrosstieError(.depth, Status.depth.message) }
        return try withState(handle) { _, state in state.components.values.compactMap { $0.event(event) } }
            .sorted(by: ComponentEvent.isBefore)
    }

    private static func send(
        _ event: ComponentEvent, on handle: Handle, _ params: ValueRef, _ order: RequestOrder,
        _ interceptors: SharedInterceptors?
    ) -> Outcome {
        RequestNames.with(event.component, event.name) { names in
            CallDoor.call(
                .event, handle, names, params, order, keeping: true,
                delivery: EventDelivery(recipient: event.action, interceptors: interceptors))
        }
    }

    /// Tells one component what becomes of it. Its failure is told to the log.
    static func tell(_ event: ComponentEvent, on handle: Handle) {
        let outcome = send(event, on: handle, .null, RequestOrder(isLocal: true), nil)
        if !outcome.status.isSuccess, outcome.status != .noComponent {
            write(to: handle, .warning, "\(event.component) failed \(event.name): \(outcome.error.message)")
        }
        outcome.block?.drop()
    }
}

extension BroadcastResult {
    /// One that has gone meanwhile, or has declined, does not have the event.
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
