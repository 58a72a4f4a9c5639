/// Requests that name their recipient by two names, and not by a URL: calls, events, and all other kinds but open.
package enum NamedRequest {
    /// Runs a request on this thread. The outcome holds it if `keeping` asks for it.
    ///
    /// - Parameter params: a map, a foreign value or null; borrowed.
    package static func call(
        _ kind: RequestKind, _ bus: OpaquePointer?, _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer,
        _ params: OpaquePointer?, _ spec: RequestSpec, keeping: Bool
    ) -> Outcome {
        run(kind, bus, target, action, params, spec, keeping: keeping)
    }

    /// The same for a local request with the defaults.
    package static func call(
        _ kind: RequestKind, _ bus: OpaquePointer?, _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer,
        _ params: OpaquePointer?, keeping: Bool
    ) -> Outcome {
        run(kind, bus, target, action, params, nil, keeping: keeping)
    }

    /// Sends an event to one action. The outcome holds the request.
    ///
    /// - Parameter callee: the names of the action, which its handler reads.
    @inline(__always)
    static func send(_ callee: Callee, to recipient: Handle, on bus: Handle, _ spec: RequestSpec?) -> Outcome {
        run(
            .event, bus.pointer, callee.target, callee.action, callee.params.pointer, spec, to: recipient,
            keeping: true)
    }

    /// Gives an activity to the first provider that claims it. Nil where none does.
    ///
    /// - Throws: the reason for which no request was made.
    package static func offer(
        _ bus: OpaquePointer?, activity: OpaquePointer?, _ spec: RequestSpec
    ) throws(CrosstieError) -> Outcome? {
        let outcome = call(.activity, bus, .empty, .empty, activity, spec, keeping: true)
        guard outcome.block != nil else {
            throw Callee(.empty, .empty, ValueRef(activity) ?? .null).problem(outcome.status, of: .activity)
        }
        guard outcome.status == .noHandler else { return outcome }
        outcome.block?.drop()
        return nil
    }

    /// Made several times, so that a call without options does not test each of them.
    ///
    /// - Parameter recipient: an event's.
    @inline(always)
    private static func run(
        _ kind: RequestKind, _ bus: OpaquePointer?, _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer,
        _ params: OpaquePointer?, _ spec: RequestSpec?, to recipient: Handle? = nil, keeping: Bool
    ) -> Outcome {
        let callee = Callee(target, action, ValueRef(params) ?? .null)
        let handle = Handle(bits: UInt(bitPattern: bus))
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return spec.refused(resolved.status) }
        let checked = KindTable.check(callee, kind)
        guard checked == .ok else { return spec.refused(checked) }
        let slot = ThreadSlot.current
        guard let block = RequestBlock.make(kind, callee, on: slot, bus: bus, handle: handle) else {
            return spec.refused(.outOfMemory)
        }
        if let recipient { block.pointee.recipient = recipient }
        guard slot.hasRoomForRequest else { return spec.refused(block, slot, keeping: keeping) }
        Submission.begin(block, spec, slot, timeout: RequestSpec.synchronousTimeoutMilliseconds)
        return Submission.run(block, spec?.runtime, slot, keeping: keeping)
    }

    /// Runs a request on this thread without waiting for its end: *pending* with its block, for ``Submission/finish(_:_:keeping:)``.
    static func start(
        _ kind: RequestKind, _ bus: OpaquePointer?, _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer,
        _ params: OpaquePointer?, _ spec: RequestSpec
    ) -> Outcome {
        let handle = Handle(bits: UInt(bitPattern: bus))
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return spec.refused(resolved.status) }
        let (slot, callee) = (ThreadSlot.current, Callee(target, action, ValueRef(params) ?? .null))
        guard let block = RequestBlock.make(kind, callee, on: slot, bus: bus, handle: handle) else {
            return spec.refused(.outOfMemory)
        }
        guard slot.hasRoomForRequest else { return RequestSpec?(spec).refused(block, slot, keeping: true) }
        Submission.begin(block, spec, slot, timeout: RequestSpec.synchronousTimeoutMilliseconds)
        Submission.start(block, spec.runtime, slot)
        return Outcome(.pending, block)
    }

    /// Runs a request on a worker. On success the outcome's block is the call's, with its reference; on
    /// failure the context has been destroyed.
    package static func callAsynchronously(
        _ kind: RequestKind, _ bus: OpaquePointer?, _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer,
        _ params: OpaquePointer?, _ spec: RequestSpec, keeping: Bool, completion: CompletionFunction?,
        context: CallbackContext
    ) -> Outcome {
        callAsynchronously(kind, bus, target, action, params, spec, keeping, completion, context, job: nil)
    }

    /// The same with a job that runs in the stead of a handler.
    static func callAsynchronously(
        _ kind: RequestKind, _ bus: OpaquePointer?, _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer,
        _ params: OpaquePointer?, _ spec: RequestSpec, _ keeping: Bool, _ completion: CompletionFunction?,
        _ context: CallbackContext, job: ((RequestBlock.Pointer) -> any Job)?
    ) -> Outcome {
        let callee = Callee(target, action, ValueRef(params) ?? .null)
        let handle = Handle(bits: UInt(bitPattern: bus))
        let outcome = submit(kind, handle, callee, spec, keeping, completion, context, job)
        if outcome.status != .ok { context.destroy() }
        return outcome
    }

    private static func submit(
        _ kind: RequestKind, _ handle: Handle, _ callee: Callee, _ spec: RequestSpec, _ keeping: Bool,
        _ completion: CompletionFunction?, _ context: CallbackContext, _ job: ((RequestBlock.Pointer) -> any Job)?
    ) -> Outcome {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return spec.refused(resolved.status) }
        let checked = KindTable.check(callee, kind)
        guard checked == .ok else { return spec.refused(checked) }
        let slot = ThreadSlot.current
        guard let block = RequestBlock.make(kind, callee, on: slot, bus: bus, handle: handle) else {
            return spec.refused(.outOfMemory)
        }
        Submission.begin(block, spec, slot, timeout: RequestSpec.asynchronousTimeoutMilliseconds)
        if let job { block.extras.job = job(block) }
        return Submission.submit(block, spec, slot, keeping: keeping, completion, context)
    }
}

extension RequestBlock {
    /// A request that is for two names, with its parameters; nil without memory for that.
    @inline(always)
    fileprivate static func make(
        _ kind: RequestKind, _ callee: Callee, on slot: UnsafeMutablePointer<ThreadSlot>, bus: BusRecord.Pointer,
        handle: Handle
    ) -> Pointer? {
        guard let block = make(kind, on: slot, bus: bus, handle: handle) else { return nil }
        guard block.setNames(callee) else {
            block.drop()
            return nil
        }
        if callee.params.bits != ValueRef.null.bits { block.pointee.params = callee.params.retained() }
        return block
    }
}
