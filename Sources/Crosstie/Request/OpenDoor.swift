import Synchronization

/// What a caller says beside the URL.
package struct OpenOrder {
    /// Whether the caller asks as the host itself; what it gets may be less.
    package var isLocal: Bool
    /// A map, a foreign value or null; borrowed.
    package var userInfo: ValueRef = .null
    /// 0 for the default, negative for no deadline.
    package var timeoutMilliseconds: Int64 = 0
    package var parent: RequestBlock.Pointer?
    package var runtime: RuntimeLock?
    package var mode = MatchMode.default
    /// The request's own, which it takes.
    package var interceptors: InterceptorChain?

    package init(isLocal: Bool) { self.isLocal = isLocal }

    package static var defaultTimeoutMilliseconds: Int64 { 2500 }
}

/// What an open came to.
package struct OpenOutcome {
    package let status: Status
    /// The request, with one reference for the caller; nil when there never was one, or none is wanted.
    package var block: RequestBlock.Pointer?
    package var failure: ParseFailure?

    @inline(__always)
    package init(_ status: Status, _ block: RequestBlock.Pointer? = nil, _ failure: ParseFailure? = nil) {
        self.status = status
        self.block = block
        self.failure = failure
    }
}

extension OpenOrder {
    /// Names the request that this one is made for.
    ///
    /// - Throws: *handle* or *forked* for one that is not alive.
    package mutating func setParent(_ handle: Handle) throws(CrosstieError) {
        let parent = RequestBlock.request(handle)
        guard case .live(let block) = parent else {
            throw CrosstieError(parent.status, "the parent is not a request that is alive", at: "options.parent")
        }
        self.parent = block
    }

    /// The outcome where no request was made.
    fileprivate func refused(_ status: Status) -> OpenOutcome {
        interceptors?.destroy()
        return OpenOutcome(status)
    }
}

/// The open door: makes requests of URLs.
package enum OpenDoor {
    /// Opens a URL on this thread. The outcome holds the request if `keeping` asks for it.
    package static func open(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, _ order: OpenOrder, keeping: Bool
    ) -> OpenOutcome {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return order.refused(resolved.status) }
        let slot = ThreadSlot.current
        guard slot.hasRoomForRequest else { return order.refused(.depth) }
        guard let block = begin(bus, handle, order, slot) else { return order.refused(.noMemory) }
        let parsed = block.parse(url)
        guard case .parsed = parsed else { return refuse(block, parsed, keeping: keeping) }
        if let runtime = order.runtime { block.pointee.runtime = runtime }
        Pipeline.run(block, slot)
        if !block.hasEnded { wait(for: block, order) }
        if order.runtime != nil { block.pointee.runtime = nil }
        let status = block.pointee.status
        if keeping { return OpenOutcome(status, block) }
        block.drop()
        return OpenOutcome(status)
    }

    /// A request with its trust settled: never above that of the request it is made in or for.
    @inline(__always)
    private static func begin(
        _ bus: BusRecord.Pointer, _ handle: Handle, _ order: OpenOrder, _ slot: UnsafeMutablePointer<ThreadSlot>
    ) -> RequestBlock.Pointer? {
        guard let block = RequestBlock.make(on: slot, bus: bus, handle: handle) else { return nil }
        var isLocal = order.isLocal && slot.isTrusted
        if let parent = order.parent { isLocal = isLocal && parent.pointee.isLocal }
        block.pointee.isLocal = isLocal
        block.pointee.isNearest = order.mode.isNearest(on: bus)
        if order.userInfo.bits != ValueRef.null.bits { block.pointee.userInfo = order.userInfo.retained() }
        if let interceptors = order.interceptors { block.pointee.detour = RequestDetour(interceptors) }
        return block
    }

    @inline(never)
    private static func refuse(_ block: RequestBlock.Pointer, _ parsed: ParseResult, keeping: Bool) -> OpenOutcome {
        guard case .failed(let failure) = parsed else {
            block.drop()
            return OpenOutcome(.noMemory)
        }
        guard keeping else {
            block.drop()
            return OpenOutcome(failure.status, nil, failure)
        }
        block.end(failure.status, message: failure.error.description)
        return OpenOutcome(failure.status, block, failure)
    }

    /// Waits for a handler that answers later, with the caller's runtime let go.
    @inline(never)
    private static func wait(for block: RequestBlock.Pointer, _ order: OpenOrder) {
        let milliseconds =
            order.timeoutMilliseconds == 0 ? OpenOrder.defaultTimeoutMilliseconds : order.timeoutMilliseconds
        let deadline = Clock.deadline(milliseconds: milliseconds)
        guard BusRecord.detach(block) else {
            settle(block, .closed)
            return
        }
        Delay.point()
        let isInTime = order.runtime?.without { block.wait(until: deadline) } ?? block.wait(until: deadline)
        if !isInTime { settle(block, .timeout) }
        BusRecord.forgetDetached(block)
    }

    /// Ends a request, or waits the moment that whoever ends it now takes to do so.
    private static func settle(_ block: RequestBlock.Pointer, _ status: Status) {
        if !block.end(status) { _ = block.wait(until: Clock.never) }
    }
}

extension OpenDoor {
    /// Opens a URL on a worker. On success the outcome's block is the call's, with its reference; on
    /// failure the context has been destroyed.
    package static func openAsynchronously(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, _ order: OpenOrder, keeping: Bool,
        completion: CompletionFunction?, context: CallbackContext
    ) -> OpenOutcome {
        let outcome = submit(handle, url, order, keeping, completion, context)
        if outcome.status != .ok { context.destroy() }
        return outcome
    }

    private static func submit(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, _ order: OpenOrder, _ keeping: Bool,
        _ completion: CompletionFunction?, _ context: CallbackContext
    ) -> OpenOutcome {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return order.refused(resolved.status) }
        let slot = ThreadSlot.current
        guard let block = begin(bus, handle, order, slot) else { return order.refused(.noMemory) }
        let parsed = block.parse(url)
        guard case .parsed = parsed else { return refuse(block, parsed, keeping: false) }
        block.pointee.isCallerTrusted = slot.isTrusted && order.parent?.pointee.isLocal != false
        block.prepareAsynchronous(completion, context, keeping: keeping)
        let status = queue(block, handle)
        guard status == .ok else {
            block.abandon()
            return OpenOutcome(status)
        }
        return OpenOutcome(.ok, keeping ? block : nil)
    }

    private static func queue(_ block: RequestBlock.Pointer, _ handle: Handle) -> Status {
        do throws(CrosstieError) {
            return try BusRecord.withState(handle) { _, state in state.workers.submit(block) }
        } catch {
            return error.status
        }
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// One reference for the completion, one for the worker, one for the call if it is kept.
    fileprivate func prepareAsynchronous(
        _ completion: CompletionFunction?, _ context: CallbackContext, keeping: Bool
    ) {
        pointee.isAsynchronous = true
        pointee.isHeard = completion != nil || keeping
        pointee.attendants.store(1, ordering: .relaxed)
        pointee.isCompletionClaimed.store(false, ordering: .relaxed)
        pointee.completion = completion
        pointee.completionContext = context
        pointee.references.store(keeping ? 3 : 2, ordering: .relaxed)
        pointee.views.store(keeping ? RequestBlock.View.call : 0, ordering: .relaxed)
    }

    /// Lets go of a request that no worker has got.
    fileprivate func abandon() {
        pointee.references.store(1, ordering: .relaxed)
        drop()
    }
}
