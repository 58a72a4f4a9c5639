import Synchronization

/// The callbacks that a handler or an interceptor puts on its request.
extension RequestBlock {
    /// Adds a callback for the case that the request is cancelled. Takes the context.
    package static func onCancel(_ handle: Handle, _ function: @escaping NotifyFunction, _ context: CallbackContext)
        -> Status
    {
        let resolved = request(handle)
        guard case .live(let block) = resolved else {
            context.destroy()
            return resolved.status
        }
        let status = block.add(RequestCallback(.cancellation(function), context))
        guard status == .alreadyDone, block.wasCancelled else {
            if status != .ok { context.destroy() }
            return status
        }
        block.callBack { function(context.pointer) }
        context.destroy()
        return .ok
    }

    /// Adds a callback that sees the response before the caller does. Takes the context.
    package static func onReturn(
        _ handle: Handle, _ function: @escaping CompletionFunction, _ context: CallbackContext
    ) -> Status {
        let resolved = request(handle)
        var status = resolved.status
        if case .live(let block) = resolved { status = block.add(RequestCallback(.response(function), context)) }
        if status != .ok { context.destroy() }
        return status
    }
}

extension Status {
    /// Whether a request that ends with it was ended from outside: by a cancel, its deadline or its bus's closing.
    fileprivate var isCancellation: Bool { self == .cancelled || self == .timedOut || self == .closed }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the request has ended by a cancel, its deadline or its bus's closing.
    var wasCancelled: Bool {
        guard hasEnded else { return false }
        return pointee.completionWord.isMarkedCancelled || pointee.status.isCancellation
    }

    /// Adds a callback: *alreadyDone* when it is too late for it, *limitExceeded* when there are too many.
    func add(_ callback: RequestCallback) -> Status {
        guard pointee.completionWord.observe(before: callback.isCancellation ? .ended : .claimed) else {
            return .alreadyDone
        }
        return pointee.callbacks.add(callback)
    }

    /// Runs a callback of the request with its trust.
    fileprivate func callBack(_ body: () -> Void) {
        let slot = ThreadSlot.current
        guard slot.hasRoomForCallback else { return slot.withLoweredTrust(pointee.isLocal, body) }
        slot.push(0, self, isTrusted: pointee.isLocal)
        body()
        slot.pop()
    }
}

/// The callbacks' part in the completion, on the thread that has claimed it.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Shows the response to the callbacks that may change it, the newest first, and counts the request. Returns whether
    /// the request was cancelled, whatever the callbacks have made of its status.
    @inline(never)
    func showResponse() -> Bool {
        let wasCancelled = pointee.status.isCancellation
        var newest: (meter: Meter, start: UInt64)?
        pointee.callbacks.closeForResponses { callback in
            switch callback.pointee.kind {
            case .response(let function): show(to: function, callback.pointee.context)
            case .meter(let meter, let start) where newest == nil: newest = (meter, start)
            case .meter, .cancellation: break
            }
        }
        newest?.meter.count(self, since: newest?.start ?? 0)
        return wasCancelled
    }

    private func show(to function: CompletionFunction, _ context: CallbackContext) {
        pointee.exposure.lend(.change)
        callBack { if let response = opaque(.response) { function(response, context.pointer) } }
        pointee.exposure.takeBack(.change)
        context.destroy()
    }

    /// Notifies the cancellation callbacks, the oldest first, if the request was cancelled, and destroys their contexts.
    @inline(never)
    func notifyCallbacks() {
        let isCancelled = wasCancelled
        pointee.callbacks.close { callback in
            guard case .cancellation(let function) = callback.kind else { return }
            if isCancelled { callBack { function(callback.context.pointer) } }
            callback.context.destroy()
        }
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Counts a new request on a bus that does so, also if it never comes to a handler. One in which a job makes others
    /// is not counted.
    func meterIfMeasured() {
        let word = pointee.bus.pointee.interceptors.load(ordering: .relaxed)
        guard word & Interceptors.measured != 0, pointee.callbacks.bits == 0, pointee.extras?.job == nil else {
            return
        }
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        let meter = isBusLive ? pointee.bus.pointee.meters?.unhandled : nil
        ReadSide.leave(slot)
        if let meter { _ = add(RequestCallback(.meter(meter, since: 0))) }
    }
}

/// Reporting a request's progress to its caller.
extension RequestBlock {
    /// Reports progress to the request's listener. Takes `value`.
    package static func progress(_ handle: Handle, _ value: ValueRef) -> Status {
        let resolved = request(handle)
        guard case .live(let block) = resolved else {
            value.release()
            return resolved.status
        }
        guard !block.isEnding else {
            value.release()
            return .alreadyDone
        }
        return block.report(value)
    }
}

/// A progress call is counted until its listener has returned: the completion runs after that. A loop keeps that order
/// by itself, so there the completion need not wait for it outside.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Reports progress to the request's listener, if it has one. Takes `value`.
    func report(_ value: ValueRef) -> Status {
        if pointee.isFollowed { return reportToFollower(value) }
        value.release()
        return .ok
    }

    private func reportToFollower(_ value: ValueRef) -> Status {
        pointee.ownership.startProgress()
        guard !pointee.completionWord.isClaimedInOrder else { return dropLate(value) }
        pointee.references.add()
        let loop = pointee.isAsynchronous ? pointee.extras?.delivery?.loop : nil
        switch loop?.add(.progress(self, value)) {
        case .ok: return .ok
        case .alreadyDone:
            defer { dropAsCallback() }
            return dropLate(value)
        default:
            deliverProgress(value)
            return .ok
        }
    }

    /// Drops progress that came after the end.
    private func dropLate(_ value: ValueRef) -> Status {
        value.release()
        finishProgress()
        return .alreadyDone
    }

    /// Delivers a value to the listener. Takes it, and the reference that was added for it.
    func deliverProgress(_ value: ValueRef) {
        if let listener = pointee.extras?.delivery?.listener {
            let isTrusted = pointee.isAsynchronous ? pointee.isCallerTrusted : pointee.isLocal
            ThreadSlot.current.withCallback(isTrusted: isTrusted) { listener.receive(value) }
        }
        value.release()
        finishProgress()
        dropAsCallback()
    }

    /// Ends a progress call. The last one sees to the completion of a request that has ended meanwhile.
    private func finishProgress() {
        guard pointee.ownership.endProgress(), pointee.isAsynchronous, hasEnded else { return }
        completeIfUnowned()
        if !isCompletionClaimed { expedite() }
    }

    /// Whether progress is being delivered, so that the completion has to wait.
    @inline(__always)
    var hasProgressInFlight: Bool { pointee.isFollowed && pointee.ownership.hasProgressInFlight }

    /// Waits, with the caller's runtime released, until the progress of a request that has ended is delivered, and drops
    /// the listener then.
    @inline(never)
    func endProgress(_ runtime: RuntimeLock? = nil) {
        if hasProgressInFlight {
            runtime?.without(waitForProgress) ?? waitForProgress()
        }
        pointee.extras?.delivery?.listener = nil
    }

    /// A running listener cannot be abandoned: the host is asked whether it wants to wait, but the wait goes on.
    private func waitForProgress() {
        var wait = NappingWait()
        while hasProgressInFlight { _ = wait.nap() }
    }
}
