/// Events: requests to every component that has an action for them.
extension BusRecord {
    /// Runs an event over the components that handle it. Takes the interceptors and the delivery of `spec`.
    ///
    /// - Parameter params: a map, a foreign value or null; borrowed.
    package static func broadcast(
        _ handle: Handle, _ event: UnsafeRawBufferPointer, _ params: ValueRef, _ spec: RequestSpec?
    ) throws(CrosstieError) -> BroadcastResult {
        guard var spec else { return try send(event, on: handle, params, nil) }
        let shared = spec.interceptors.map(SharedInterceptors.init)
        let delivery = spec.delivery?.take()
        (spec.interceptors, spec.delivery) = (nil, nil)
        return try send(event, on: handle, params, spec, delivery, shared)
    }

    static func checkEvent(_ event: UnsafeRawBufferPointer) throws(CrosstieError) {
        let event = String(decoding: event, as: UTF8.self)
        guard !event.isEmpty else { throw CrosstieError(.noName, "an event needs a name", at: "event") }
        try Name.check(event, "an event's name", at: "event")
    }

    private typealias Sent = Result<BroadcastResult, CrosstieError>

    /// Runs an event over the components that handle it, one after the other until it ends; then at the peers that export
    /// it, all at the same time.
    ///
    /// - Parameters:
    ///   - spec: without interceptors and delivery, which have been taken; nil for a local event with the defaults.
    ///   - delivery: how each request shall be delivered, if its caller has said so.
    ///   - whole: the request that stands for all of them; nil where a caller waits for each.
    @inline(__always)
    static func send(
        _ event: UnsafeRawBufferPointer, on handle: Handle, _ params: ValueRef, _ spec: RequestSpec?,
        _ delivery: RequestDelivery? = nil, _ interceptors: SharedInterceptors? = nil,
        within whole: RequestBlock.Pointer? = nil, while goesOn: () -> Bool = { true }
    ) throws(CrosstieError) -> BroadcastResult {
        let (bus, slot) = try prepare(event, handle)
        let outcome = try EventRecipients.with(event, on: bus, handle, slot) { recipients in
            var (spec, result) = (spec, BroadcastResult())
            let mayStay = delivery?.isElsewhere != true
            while mayStay, let recipient = recipients.next(), goesOn() {
                if delivery != nil || interceptors != nil {
                    spec?.delivery = Held(RequestDelivery(delivery, interceptors))
                }
                let callee = Callee(recipient.component, event, params)
                let outcome = NamedRequest.send(callee, to: recipient.action, on: handle, spec)
                guard let block = outcome.block else { return Sent.failure(outcome.error) }
                result.note(outcome.status, block, of: recipient.component)
                block.drop()
            }
            return .success(result)
        }
        if case .success(let result) = outcome, result.count == 0 { try checkEvent(event) }
        guard bus.pointee.callbackSlots.holder(of: .elsewhere) != 0, goesOn() else { return try outcome.get() }
        let journey = EventJourney(event, params, spec, delivery, interceptors)
        return journey.send(on: handle, within: whole, try outcome.get())
    }

    /// The bus of an event, and this thread if it has room for a request.
    @inline(__always)
    private static func prepare(
        _ event: UnsafeRawBufferPointer, _ handle: Handle
    ) throws(CrosstieError) -> (Pointer, UnsafeMutablePointer<ThreadSlot>) {
        let slot = ThreadSlot.current
        guard slot.hasRoomForRequest else {
            let name = Quotation.quoted(String(decoding: event, as: UTF8.self))
            let text = ThreadSlot.refusal(of: "the event \(name)", isLimit: slot.isAtMaximumDepth)
            throw CrosstieError(.nestedTooDeeply, text)
        }
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else {
            throw CrosstieError(resolved.status, "invalid or released bus handle")
        }
        return (bus, slot)
    }
}

extension BroadcastResult {
    /// A component that has been removed meanwhile, or has declined, does not have the event.
    @inline(__always)
    fileprivate mutating func note(
        _ status: Status, _ block: RequestBlock.Pointer, of component: UnsafeRawBufferPointer
    ) {
        if status.isSuccess {
            count &+= 1
            if block.pointee.value.bits != ValueRef.null.bits { any = any || block.pointee.value.boolValue == true }
        } else {
            noteFailure(status, block, of: component)
        }
    }

    @inline(never)
    private mutating func noteFailure(
        _ status: Status, _ block: RequestBlock.Pointer, of component: UnsafeRawBufferPointer
    ) {
        guard status != .noComponent, status != .noAction else { return }
        count &+= 1
        let response = Response(block)
        failures.append(
            BroadcastFailure(
                component: String(decoding: component, as: UTF8.self), status: status, code: response.code,
                message: response.error.message))
    }
}
