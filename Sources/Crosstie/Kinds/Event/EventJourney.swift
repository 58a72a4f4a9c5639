/// An event on its way to peers: a request for each of them, all of which run at the same time.
struct EventJourney {
    private let event: String
    private let params: ValueRef
    private let spec: RequestSpec
    private let delivery: RequestDelivery?
    private let interceptors: SharedInterceptors?

    /// - Parameter spec: without interceptors and delivery; nil for a local event with the defaults.
    init(
        _ event: UnsafeRawBufferPointer, _ params: ValueRef, _ spec: RequestSpec?, _ delivery: RequestDelivery?,
        _ interceptors: SharedInterceptors?
    ) {
        (self.event, self.params) = (String(decoding: event, as: UTF8.self), params)
        self.spec = spec ?? RequestSpec(isLocal: true)
        (self.delivery, self.interceptors) = (delivery, interceptors)
    }

    /// Sends the event to the peers that export it, if the bus imports it. Returns a result with their answers.
    ///
    /// - Parameter whole: a request with which these end; nil for none.
    @inline(never)
    func send(
        on bus: Handle, within whole: RequestBlock.Pointer?, _ before: BroadcastResult
    ) -> BroadcastResult {
        guard spec.flags & RequestFlags.here == 0 else { return before }
        let hearers = BusRecord.hearers(of: event, on: bus, among: delivery?.peer ?? "")
        guard !hearers.isEmpty else { return before }
        var result = before
        let companions = EventCompanions()
        if let whole { companions.follow(whole) }
        defer { companions.leave() }
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
        return result
    }

    private func start(_ hearer: Elsewhere.Hearer, on bus: Handle, _ companions: EventCompanions) -> Outcome {
        var spec = spec
        spec.delivery = Held(RequestDelivery(delivery, interceptors, to: hearer.peer))
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
