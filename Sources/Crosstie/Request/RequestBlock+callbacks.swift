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
