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
    /// - Parameter whole: a request with which these end; nil for none.
    func send(
        to hearers: [Elsewhere.Hearer], on bus: Handle, within whole: RequestBlock.Pointer?,
        _ result: inout BroadcastResult
    ) {
        let companions = Companions()
        if let whole { companions.follow(whole) }
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
        companions.leave()
    }

    private func start(_ hearer: Elsewhere.Hearer, on bus: Handle, _ companions: Companions) -> Outcome {
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

/// Requests that end early with the one that they are made for.
private final class Companions: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by the lock.
    /// Each with a reference.
    private var blocks: [RequestBlock.Pointer] = []
    private var isOver = false

    deinit { lock.free() }

    /// Has them end when a request is cancelled or its deadline passes.
    func follow(_ whole: RequestBlock.Pointer) {
        let context = CallbackContext(holding: self)
        let status = whole.add(
            RequestCallback(
                .cancellation { CallbackContext.object($0, as: Companions.self)?.cancel() }, context))
        guard status != .ok else { return }
        context.destroy()
        if status == .alreadyDone { cancel() }
    }

    func add(_ block: RequestBlock.Pointer) {
        let isTooLate = lock.with { () -> Bool in
            if isOver { return true }
            block.pointee.references.add()
            blocks.append(block)
            return false
        }
        if isTooLate { block.end(.cancelled) }
    }

    func leave() { for block in take() { block.drop() } }

    private func cancel() {
        for block in take() {
            block.end(.cancelled)
            block.drop()
        }
    }

    private func take() -> [RequestBlock.Pointer] {
        lock.with {
            isOver = true
            defer { blocks = [] }
            return blocks
        }
    }
}
