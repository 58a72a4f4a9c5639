/// The kind of request that opens a URL.
package enum OpenKind: KindOfRequest {
    static var mayLeave: Bool { true }

    @inline(__always)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution { OpenResolver.resolve(block) }

    static func nameRoles(_ kind: RequestKind) -> (target: String, action: String) { ("URL", "") }

    static func message(of block: RequestBlock.Pointer, failedWith status: Status) -> String? {
        switch status {
        case .denied, .noTarget, .noAction: block.performReason(status) ?? ""
        case .invalidParameter: RuleCheck.problem(of: block)?.message ?? ""
        case .noHandler: HandOffKind.message(of: block, failedWith: status)
        default: nil
        }
    }

    static func problem(of block: RequestBlock.Pointer, failedWith status: Status) -> CrosstieError? {
        status == .invalidParameter ? RuleCheck.problem(of: block) : nil
    }

    static func answer(_ block: RequestBlock.Pointer) { SystemOpener.open(block) }

    /// Opens a URL on this thread. The outcome holds the request if `keeping` asks for it.
    package static func open(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, _ spec: RequestSpec, keeping: Bool
    ) -> Outcome {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return spec.refused(resolved.status) }
        let slot = ThreadSlot.current
        guard let block = RequestBlock.make(.open, on: slot, bus: bus, handle: handle) else {
            return spec.refused(.outOfMemory)
        }
        guard slot.hasRoomForRequest else { return refuse(block, url, spec, slot, keeping: keeping) }
        Submission.begin(block, spec, slot, timeout: RequestSpec.synchronousTimeoutMilliseconds)
        let parsed = block.take(url)
        guard case .parsed = parsed else { return refuse(block, parsed, keeping: keeping) }
        return Submission.run(block, spec.runtime, slot, keeping: keeping)
    }

    /// Delivers a URL to the first provider that claims it, without trying routes, rules and system opener. Nil where
    /// none does, or for a text that is no URL.
    package static func claim(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, _ spec: RequestSpec
    ) -> Outcome? {
        var spec = spec
        spec.flags |= RequestFlags.claim
        let outcome = open(handle, url, spec, keeping: true)
        guard outcome.status != .noHandler, outcome.failure == nil else {
            outcome.block?.drop()
            return nil
        }
        return outcome
    }

    /// Opens a URL on a worker. On success the outcome's block is the call's, with its reference; on
    /// failure the context has been destroyed.
    package static func openAsynchronously(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, _ spec: RequestSpec, keeping: Bool,
        completion: CompletionFunction?, context: CallbackContext
    ) -> Outcome {
        let outcome = submit(handle, url, spec, keeping, completion, context)
        if outcome.status != .ok { context.destroy() }
        return outcome
    }

    private static func submit(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, _ spec: RequestSpec, _ keeping: Bool,
        _ completion: CompletionFunction?, _ context: CallbackContext
    ) -> Outcome {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return spec.refused(resolved.status) }
        let slot = ThreadSlot.current
        guard let block = RequestBlock.make(.open, on: slot, bus: bus, handle: handle) else {
            return spec.refused(.outOfMemory)
        }
        Submission.begin(block, spec, slot, timeout: RequestSpec.asynchronousTimeoutMilliseconds)
        let parsed = block.take(url)
        guard case .parsed = parsed else { return refuse(block, parsed, keeping: false) }
        return Submission.submit(block, spec, slot, keeping: keeping, completion, context)
    }

    /// Refuses a request for which the thread has no room.
    @inline(never)
    private static func refuse(
        _ block: RequestBlock.Pointer, _ url: UnsafeRawBufferPointer, _ spec: RequestSpec,
        _ slot: UnsafeMutablePointer<ThreadSlot>, keeping: Bool
    ) -> Outcome {
        let parsed = block.take(url)
        guard case .parsed = parsed else {
            spec.destroy()
            return refuse(block, parsed, keeping: keeping)
        }
        return RequestSpec?(spec).refused(block, slot, keeping: keeping)
    }

    @inline(never)
    private static func refuse(_ block: RequestBlock.Pointer, _ parsed: ParseResult, keeping: Bool) -> Outcome {
        guard case .failed(let failure) = parsed else {
            block.drop()
            return Outcome(.outOfMemory)
        }
        guard keeping else {
            block.drop()
            return Outcome(failure.status, nil, failure)
        }
        block.end(failure.status, message: failure.error.description)
        return Outcome(failure.status, block, failure)
    }
}
