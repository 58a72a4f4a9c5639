/// Events without a waiting caller: a request of its own, in which a worker sends the event to each component.
package enum EventKind: KindOfRequest {
    static var mayLeave: Bool { true }

    /// The one action that the event is for, whatever its names lead to. It may have been removed. Or its one peer.
    @inline(__always)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution {
        if block.mustLeave { return block.wayElsewhere ?? .failed(.noComponent) }
        let found = ProcessState.current.pointee.registrations.resolve(
            block.pointee.recipient, .registration, as: RegistrationRecord.self)
        guard case .live(let action) = found else { return .failed(.noComponent) }
        if block.pointee.extras != nil, block.extras.hasDeclined(action) { return .failed(.noAction) }
        return .found(action, match: action)
    }

    static func nameRoles(_ kind: RequestKind) -> (target: String, action: String) { ("component", "event") }

    /// Begins one. On success the outcome's block is the call's, with its reference; else the context has been
    /// destroyed. Takes the interceptors and the delivery of `spec`.
    ///
    /// - Parameter params: a map, a foreign value or null; borrowed.
    /// - Throws: *noName* or *invalidIdentifier*.
    package static func start(
        _ bus: Handle, _ event: String, _ params: ValueRef, _ spec: RequestSpec, keeping: Bool,
        completion: CompletionFunction?, context: CallbackContext
    ) throws(CrosstieError) -> Outcome {
        // Each of its requests has the interceptors; it has none itself.
        let interceptors = spec.interceptors.map(SharedInterceptors.init)
        var spec = spec
        spec.interceptors = nil
        do throws(CrosstieError) {
            try withBytes(of: event, BusRecord.checkEvent)
        } catch {
            spec.destroy()
            context.destroy()
            throw error
        }
        return Callee.withBytes("", event) { target, action in
            NamedRequest.callAsynchronously(
                .event, bus.pointer, target, action, params.pointer, spec, keeping, completion, context,
                job: { BroadcastJob(event, in: $0, interceptors) })
        }
    }
}

/// The job that runs in place of a handler of the request, which keeps it.
private final class BroadcastJob: Job {
    private let event: String
    private let whole: RequestBlock.Pointer
    private let interceptors: SharedInterceptors?

    init(_ event: String, in whole: RequestBlock.Pointer, _ interceptors: SharedInterceptors?) {
        (self.event, self.whole, self.interceptors) = (event, whole, interceptors)
    }

    /// Every component's request is made for the whole one, whose deadline is the only one, and which may be ended
    /// between two of them.
    func run() -> Bool {
        var spec = RequestSpec(isLocal: true)
        (spec.parent, spec.timeoutMilliseconds) = (whole, -1)
        (spec.userInfo, spec.flags) = (whole.pointee.userInfo, whole.pointee.flags)
        do throws(CrosstieError) {
            let result = try withBytes(of: event) { event throws(CrosstieError) in
                try BusRecord.send(
                    event, on: whole.pointee.busHandle, whole.pointee.params, spec, delivery, interceptors,
                    within: whole
                ) { !whole.hasEnded && !whole.isOverdue }
            }
            _ = whole.answer(.ok, code: Status.ok.code, value: try result.value.makeRef())
        } catch {
            whole.end(error.status == .invalidHandle ? .closed : error.status, message: error.message)
        }
        return true
    }

    func drop() {}

    /// The delivery of each component's request, which reports progress to the caller of the whole event. It is reported only
    /// while a component's request is awaited.
    private var delivery: RequestDelivery? {
        guard let own = whole.pointee.extras?.delivery else { return nil }
        let delivery = RequestDelivery()
        (delivery.isElsewhere, delivery.peer, delivery.sender) = (own.isElsewhere, own.peer, own.sender)
        guard whole.pointee.isFollowed else { return delivery }
        let context = CallbackContext(pointer: UnsafeMutableRawPointer(whole), destroy: nil)
        delivery.listener = ProgressListener(
            { value, whole in
                guard let whole, let value = ValueRef(value) else { return }
                _ = whole.assumingMemoryBound(to: RequestBlock.self).report(value.retained())
            }, context)
        return delivery
    }
}
