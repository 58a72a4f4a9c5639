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
        return try send(event, on: handle, params, spec, delivery, shared, within: nil)
    }

    private static func start(
        _ event: ComponentEvent, on handle: Handle, _ params: ValueRef, _ spec: RequestSpec
    ) -> Outcome {
        Callee.withBytes(event.component, event.name) { component, name in
            NamedRequest.start(.event, handle.pointer, component, name, params.pointer, spec)
        }
    }

    static func checkEvent(_ event: String) throws(CrosstieError) {
        guard !event.isEmpty else { throw CrosstieError(.noName, "an event needs a name", at: "event") }
        try Name.check(event, "an event's name", at: "event")
    }

    /// Runs an event over the components that handle it, one after the other, then at the peers that export it, all at the
    /// same time.
    ///
    /// - Parameters:
    ///   - spec: without interceptors and delivery, which have been taken.
    ///   - delivery: how each request shall be delivered, if its caller has said so.
    ///   - whole: the request that stands for all of them, with which they end; nil where a caller waits for each.
    static func send(
        _ event: String, on handle: Handle, _ params: ValueRef, _ spec: RequestSpec, _ delivery: RequestDelivery?,
        _ interceptors: SharedInterceptors?, within whole: RequestBlock.Pointer?
    ) throws(CrosstieError) -> BroadcastResult {
        var (spec, result) = (spec, BroadcastResult())
        let companions = EventCompanions()
        if let whole { companions.follow(whole) }
        defer { companions.leave() }
        spec.interceptors = nil
        let recipients = try recipients(of: event, on: handle)
        for recipient in delivery?.isElsewhere == true ? [] : recipients where whole.goesOn {
            spec.delivery = Held(RequestDelivery(delivery, to: recipient.action, interceptors))
            let outcome = companions.run({ start(recipient, on: handle, params, spec) }, spec.runtime)
            guard let block = outcome.block else { throw outcome.error }
            result.note(outcome.status, Response(block), of: recipient.component)
            block.drop()
        }
        guard whole.goesOn, spec.flags & RequestFlags.here == 0 else { return result }
        let hearers = hearers(of: event, on: handle, among: delivery?.peer ?? "")
        if !hearers.isEmpty {
            EventJourney(event, params, spec, delivery, interceptors).send(to: hearers, on: handle, companions, &result)
        }
        return result
    }
}

extension RequestBlock.Pointer? {
    /// Whether an event has not ended before all have received it.
    fileprivate var goesOn: Bool { map { !$0.hasEnded && !$0.isOverdue } ?? true }
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
