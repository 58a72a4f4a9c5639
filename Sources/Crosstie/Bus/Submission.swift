import Synchronization

/// From a caller to the pipeline, whatever the kind: the request that a kind has made is begun, and run here or on a
/// worker.
enum Submission {
    /// Begins a request: sets its trust and its deadline. Neither is more than that of the request it is made in or for.
    ///
    /// - Parameter spec: nil for a local request with the defaults.
    @inline(always)
    static func begin(
        _ block: RequestBlock.Pointer, _ spec: RequestSpec?, _ slot: UnsafeMutablePointer<ThreadSlot>,
        timeout milliseconds: Int64
    ) {
        block.pointee.isLocal = slot.isTrusted
        guard let spec else {
            block.setDeadline(milliseconds, within: slot.currentRequest)
            return
        }
        if !spec.isLocal || spec.parent?.pointee.isLocal == false { block.pointee.isLocal = false }
        if spec.mode != .default { block.pointee.isNearest = spec.mode == .nearest }
        block.pointee.flags = spec.flags
        let timeout = spec.timeoutMilliseconds == 0 ? milliseconds : spec.timeoutMilliseconds
        block.pointee.timeLimit = TimeLimit(milliseconds: timeout)
        block.setDeadline(timeout, within: spec.parent ?? slot.currentRequest)
        if spec.userInfo.bits != ValueRef.null.bits { block.pointee.userInfo = spec.userInfo.retained() }
        if let interceptors = spec.interceptors { block.pointee.extras = RequestExtras(interceptors) }
        if let delivery = spec.delivery { block.deliver(delivery.take()) }
    }

    /// Runs a request on this thread and waits for its end. The outcome holds it if `keeping` asks for it.
    @inline(always)
    static func run(
        _ block: RequestBlock.Pointer, _ runtime: RuntimeLock?, _ slot: UnsafeMutablePointer<ThreadSlot>, keeping: Bool
    ) -> Outcome {
        start(block, runtime, slot)
        return finish(block, runtime, keeping: keeping)
    }

    /// Runs a request on this thread, without waiting for its end.
    @inline(__always)
    static func start(
        _ block: RequestBlock.Pointer, _ runtime: RuntimeLock?, _ slot: UnsafeMutablePointer<ThreadSlot>
    ) {
        if let runtime { block.pointee.runtime = runtime }
        Pipeline.run(block, slot)
    }

    /// Waits for the end of a request that has been started.
    @inline(__always)
    static func finish(_ block: RequestBlock.Pointer, _ runtime: RuntimeLock?, keeping: Bool) -> Outcome {
        if !block.hasEnded { wait(for: block, runtime) }
        if block.pointee.isFollowed { block.endProgress(runtime) }
        if runtime != nil { block.pointee.runtime = nil }
        let status = block.pointee.status
        if keeping { return Outcome(status, block) }
        block.drop()
        return Outcome(status)
    }

    /// Waits for a handler that answers later, with the caller's runtime released.
    @inline(never)
    private static func wait(for block: RequestBlock.Pointer, _ runtime: RuntimeLock?) {
        guard BusRecord.detach(block) else {
            conclude(block, .closed)
            return
        }
        SchedulePoint.pass()
        let deadline = block.pointee.deadline
        let status = runtime?.without { block.wait(until: deadline) } ?? block.wait(until: deadline)
        if status != .ok { conclude(block, status) }
        block.pointee.answerSource = nil
        BusRecord.forgetDetached(block)
    }

    /// Ends a request, or waits the moment that another thread takes to end it.
    private static func conclude(_ block: RequestBlock.Pointer, _ status: Status) {
        if !block.end(status) { while block.wait(until: Clock.never) == .cancelled {} }
    }

    /// Gives a request to a worker, or runs it here if its handler does not block. On success the outcome's block is the
    /// call's, with its reference, if `keeping` asks for it. On failure it is the request that was refused, or none, and the completion's context is left to the caller.
    static func submit(
        _ block: RequestBlock.Pointer, _ spec: RequestSpec, _ slot: UnsafeMutablePointer<ThreadSlot>, keeping: Bool,
        _ completion: CompletionFunction?, _ context: CallbackContext
    ) -> Outcome {
        block.pointee.isCallerTrusted = slot.isTrusted && spec.parent?.pointee.isLocal != false
        block.prepareAsynchronous(completion, context, keeping: keeping)
        KindTable.prepareForQueue(block, slot)
        block.meterIfMeasured()
        let status = KindTable.runsAtOnce(block, slot) ? block.runAtOnce(slot) : block.queue()
        guard status == .ok else { return block.abandon(status) }
        return Outcome(.ok, keeping ? block : nil)
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// One reference for the completion, one for the worker, one for the call if it is kept.
    fileprivate func prepareAsynchronous(
        _ completion: CompletionFunction?, _ context: CallbackContext, keeping: Bool
    ) {
        pointee.isAsynchronous = true
        pointee.isCounted = false
        pointee.isObserved = completion != nil || keeping
        pointee.ownership.start()
        pointee.completion = completion
        pointee.completionContext = context
        pointee.references.start(keeping ? 3 : 2)
        pointee.exposure.start(withCall: keeping)
    }

    /// The outcome of a request that no worker has received. It holds the request, whose message says why.
    @inline(never)
    fileprivate func abandon(_ status: Status) -> Outcome {
        if !pointee.completionWord.isUntouched { notifyCallbacks() }
        pointee.status = status
        pointee.references.start()
        return Outcome(status, self)
    }
}
