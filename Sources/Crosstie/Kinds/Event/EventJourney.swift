/// An event on its way to peers: a request for each of them, all of which run at the same time.
struct EventJourney {
    private let event: String
    private let params: ValueRef
    private let spec: RequestSpec
    private let delivery: RequestDelivery?
    private let interceptors: SharedInterceptors?

    init(
        _ event: String, _ params: ValueRef, _ spec: RequestSpec, _ delivery: RequestDelivery?,
        _ interceptors: SharedInterceptors?
    ) {
        (self.event, self.params, self.spec) = (event, params, spec)
        (self.delivery, self.interceptors) = (delivery, interceptors)
    }

    /// Sends the event, and adds the answers to a result.
    ///
    /// - Parameter companions: the requests that end with the one that stands for all.
    func send(
        to hearers: [Elsewhere.Hearer], on bus: Handle, _ companions: EventCompanions, _ result: inout BroadcastResult
    ) {
        let started = hearers.map { ($0.name, start($0, on: bus, companions)) }
        for (peer, outcome) in started {
            guard let block = outcome.block else {
                result.failures.append(BroadcastFailure(of: peer, outcome.status, outcome.error.message))
                continue
            }
            let status = Submission.finish(block, spec.runtime, keeping: true).status
            result.add(status, Response(block), of: peer)
            block.drop()
        }
    }

    private func start(_ hearer: Elsewhere.Hearer, on bus: Handle, _ companions: EventCompanions) -> Outcome {
        var spec = spec
        spec.delivery = Held(RequestDelivery(delivery, to: hearer.peer, interceptors))
        let outcome = Callee.withBytes("", event) { target, event in
            NamedRequest.start(.event, bus.pointer, target, event, params.pointer, spec)
        }
        if let block = outcome.block { companions.add(block) }
        return outcome
    }
}

extension BroadcastResult {
    /// Adds the result of a peer. One that no longer exports the event does not have it.
    fileprivate mutating func add(_ status: Status, _ response: Response, of peer: String) {
        guard status != .noComponent, status != .noAction else { return }
        guard status.isSuccess else {
            failures.append(BroadcastFailure(of: peer, status, response.error.message, code: response.code))
            return
        }
        guard let there = BroadcastResult(response) else {
            failures.append(BroadcastFailure(of: peer, .corruptData, "the answer is no result of an event"))
            return
        }
        let (sum, isTooLarge) = count.addingReportingOverflow(max(0, there.count))
        (count, any) = (isTooLarge ? .max : sum, any || there.any)
        failures += there.failures.map {
            BroadcastFailure(component: $0.component, status: $0.status, code: $0.code, message: $0.message, peer: peer)
        }
    }
}

extension BroadcastFailure {
    /// A peer that has given no result.
    fileprivate init(of peer: String, _ status: Status, _ message: String, code: Int32? = nil) {
        self.init(component: "", status: status, code: code ?? status.code, message: message, peer: peer)
    }
}
