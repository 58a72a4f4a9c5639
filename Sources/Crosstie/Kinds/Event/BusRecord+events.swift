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
        guard delivery?.isElsewhere != true else {
            throw CrosstieError(.invalidArgument, "only calls of components go to a peer", at: "options.peer")
        }
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
