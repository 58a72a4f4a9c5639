/// The kind of request that opens a URL.
package enum OpenKind {
    /// Opens a URL on this thread. The outcome holds the request if `keeping` asks for it.
    package static func open(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, _ spec: RequestSpec, keeping: Bool
    ) -> Outcome {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return spec.refused(resolved.status) }
        let slot = ThreadSlot.current
        guard slot.hasRoomForRequest else { return spec.refused(.nestedTooDeeply) }
        guard let block = RequestBlock.make(.open, on: slot, bus: bus, handle: handle) else {
            return spec.refused(.outOfMemory)
        }
        Submission.begin(block, spec, slot, timeout: RequestSpec.synchronousTimeoutMilliseconds)
        let parsed = block.take(url)
        guard case .parsed = parsed else { return refuse(block, parsed, keeping: keeping) }
        return Submission.run(block, spec.runtime, slot, keeping: keeping)
    }

    /// Delivers a URL to the first provider that claims it, without trying routes, rules and system opener. Nil where
    /// none does, or for what is no URL.
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
