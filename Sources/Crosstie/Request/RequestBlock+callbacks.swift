internal import Glibc
import Synchronization

/// Callbacks that a handler or an interceptor puts on its request.
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
    /// Whether the request has ended, or somebody is just ending it.
    @inline(__always)
    var isEnding: Bool {
        pointee.ending.load(ordering: .acquiring) & RequestBlock.Ending.stage != RequestBlock.Ending.open
    }

    /// Whether the request has ended by a cancel, its deadline or its bus's closing.
    var wasCancelled: Bool {
        let word = pointee.ending.load(ordering: .acquiring)
        guard word & RequestBlock.Ending.ended != 0 else { return false }
        return word & RequestBlock.Ending.cancelled != 0 || pointee.status.isCancellation
    }

    /// Adds a callback: *alreadyDone* when it is too late for it, *limitExceeded* when there are too many.
    func add(_ callback: RequestCallback) -> Status {
        var (late, closed) = (RequestBlock.Ending.stage, RequestCallback.Closed.mask)
        if case .cancellation = callback.kind {
            (late, closed) = (RequestBlock.Ending.ended, RequestCallback.Closed.all)
        }
        guard attend(unless: late) else { return .alreadyDone }
        let node = RequestCallback.Pointer.allocate(capacity: 1)
        node.initialize(to: callback)
        let status = push(node, unless: closed)
        if status != .ok {
            node.deinitialize(count: 1)
            node.deallocate()
        }
        return status
    }

    /// Lets whoever ends the request look at its callbacks. False when the ending has come too far. One who has claimed
    /// the ending of a request without callbacks will not look any more, and is done in a moment.
    private func attend(unless late: UInt32) -> Bool {
        var seen = pointee.ending.load(ordering: .relaxed)
        while true {
            guard seen & late == 0 else { return false }
            guard seen & RequestBlock.Ending.attended == 0 else { return true }
            guard seen & RequestBlock.Ending.stage == RequestBlock.Ending.open else {
                sched_yield()
                seen = pointee.ending.load(ordering: .acquiring)
                continue
            }
            let (won, now) = pointee.ending.compareExchange(
                expected: seen, desired: seen | RequestBlock.Ending.attended, ordering: .acquiringAndReleasing)
            if won { return true }
            seen = now
        }
    }

    private func push(_ node: RequestCallback.Pointer, unless closed: UInt) -> Status {
        var seen = pointee.callbacks.load(ordering: .acquiring)
        while true {
            guard seen & closed == 0 else { return .alreadyDone }
            guard node.pointee.follow(RequestCallback.first(seen)) else { return .limitExceeded }
            let (won, now) = pointee.callbacks.compareExchange(
                expected: seen, desired: UInt(bitPattern: node) | seen & RequestCallback.Closed.mask,
                ordering: .acquiringAndReleasing)
            if won { return .ok }
            seen = now
        }
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

/// What whoever has claimed the ending does about the callbacks.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Shows the response to those who may change it, the newest first, and counts the request. Gives the word that
    /// publishes the ending.
    @inline(never)
    func showResponse() -> UInt32 {
        let wasCancelled = pointee.status.isCancellation
        let list = pointee.callbacks.bitwiseOr(
            RequestCallback.Closed.responses, ordering: .acquiringAndReleasing
        ).newValue
        var newest: (meter: Meter, start: UInt64)?
        RequestCallback.forEach(in: list) { callback in
            switch callback.pointee.kind {
            case .response(let function): show(to: function, callback.pointee.context)
            case .meter(let meter, let start) where newest == nil: newest = (meter, start)
            case .meter, .cancellation: break
            }
        }
        newest?.meter.count(self, since: newest?.start ?? 0)
        return RequestBlock.Ending.ended | (wasCancelled ? RequestBlock.Ending.cancelled : 0)
    }

    private func show(to function: CompletionFunction, _ context: CallbackContext) {
        pointee.views.bitwiseOr(RequestBlock.View.change, ordering: .relaxed)
        callBack { if let response = opaque(.response) { function(response, context.pointer) } }
        pointee.views.bitwiseAnd(~RequestBlock.View.change, ordering: .relaxed)
        context.destroy()
    }

    /// Tells those who wanted to know, the oldest first, that the request was cancelled, and the others that they are
    /// not needed.
    @inline(never)
    func tellEnding() {
        let isCancelled = wasCancelled
        let list = pointee.callbacks.exchange(RequestCallback.Closed.all, ordering: .acquiringAndReleasing)
        RequestCallback.forEach(in: RequestCallback.reverse(list)) { callback in
            if case .cancellation(let function) = callback.pointee.kind {
                let context = callback.pointee.context
                if isCancelled { callBack { function(context.pointer) } }
                context.destroy()
            }
            callback.deinitialize(count: 1)
            callback.deallocate()
        }
    }
}
