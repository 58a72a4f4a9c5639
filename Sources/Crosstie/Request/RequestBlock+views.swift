import Synchronization

/// The response and the call: a request seen from its caller.
extension RequestBlock {
    /// The block of a response's handle.
    @inline(__always)
    package static func response(_ handle: Handle) -> Resolved<RequestBlock> {
        let resolved = resolve(handle, .response)
        guard case .live(let block) = resolved else { return resolved }
        let views = block.pointee.views.load(ordering: .relaxed)
        return views & (View.responseMask | View.completion | View.change) != 0 ? resolved : .dead
    }

    package static func releaseResponse(_ handle: Handle) -> Status {
        let resolved = resolve(handle, .response)
        guard case .live(let block) = resolved else { return resolved.status }
        var seen = block.pointee.views.load(ordering: .relaxed)
        while true {
            guard seen & View.responseMask != 0 else { return .invalidHandle }
            let (won, now) = block.pointee.views.compareExchange(
                expected: seen, desired: seen - 1, ordering: .acquiringAndReleasing)
            if won { break }
            seen = now
        }
        block.drop()
        return .ok
    }

    /// The block of a call's handle; call it with the process's lock, which whoever releases a call takes, too.
    private static func call(_ handle: Handle) -> Resolved<RequestBlock> {
        let resolved = resolve(handle, .call)
        guard case .live(let block) = resolved else { return resolved }
        guard block.pointee.views.load(ordering: .acquiring) & View.call != 0 else { return .dead }
        // By the time its views were read the record may have become another call's.
        return resolve(handle, .call)
    }

    /// The same with a reference for the caller, for another thread may release the call meanwhile.
    private static func retainedCall(_ handle: Handle) -> Resolved<RequestBlock> {
        ProcessState.lock.with {
            let resolved = call(handle)
            if case .live(let block) = resolved { block.pointee.references.add(1, ordering: .relaxed) }
            return resolved
        }
    }

    /// Waits until a call has ended; on success gives its response if that is wanted.
    package static func wait(
        _ handle: Handle, milliseconds: Int64, keeping: Bool
    ) -> (status: Status, response: RequestBlock.Pointer?) {
        let resolved = retainedCall(handle)
        guard case .live(let block) = resolved else { return (resolved.status, nil) }
        defer { block.drop() }
        guard !block.isWaitHopeless else { return (.deadlock, nil) }
        let status = block.wait(until: Clock.deadline(milliseconds: milliseconds))
        guard status == .ok, keeping else { return (status, nil) }
        return block.lendResponse() ? (.ok, block) : (.limitExceeded, nil)
    }

    /// How far a call has come: *pending*, or its response's status.
    package static func state(_ handle: Handle) -> Result<Status, Status> {
        let resolved = retainedCall(handle)
        guard case .live(let block) = resolved else { return .failure(resolved.status) }
        defer { block.drop() }
        return .success(block.hasEnded ? block.pointee.status : .pending)
    }

    package static func cancel(_ handle: Handle) -> Status {
        let resolved = retainedCall(handle)
        guard case .live(let block) = resolved else { return resolved.status }
        defer { block.drop() }
        return block.endEarly(.cancelled) ? .ok : .alreadyDone
    }

    package static func releaseCall(_ handle: Handle) -> Status {
        let resolved = ProcessState.lock.with {
            let resolved = call(handle)
            if case .live(let block) = resolved { block.pointee.views.bitwiseAnd(~View.call, ordering: .releasing) }
            return resolved
        }
        if case .live(let block) = resolved { block.drop() }
        return resolved.status
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Turns the caller's reference to a request of its own into the response's.
    @inline(__always)
    package func becomeResponse() -> OpaquePointer? {
        pointee.views.store(1, ordering: .relaxed)
        return opaque(.response)
    }

    /// Adds a reference for a response that is handed out. False when as many are out as can be counted.
    fileprivate func lendResponse() -> Bool {
        var seen = pointee.views.load(ordering: .relaxed)
        while true {
            guard seen & RequestBlock.View.responseMask < RequestBlock.View.responseMask else { return false }
            pointee.references.add(1, ordering: .relaxed)
            let (won, now) = pointee.views.compareExchange(expected: seen, desired: seen + 1, ordering: .relaxed)
            if won { return true }
            seen = now
            drop()
        }
    }

    /// Whether this thread is inside the request's handler, or just ends it, and nobody else could end it.
    fileprivate var isWaitHopeless: Bool {
        guard !hasEnded, ThreadSlot.current.isHandling(self) else { return false }
        return pointee.holding.load(ordering: .acquiring) & RequestBlock.Holding.countMask == 0 || mayChangeResponse
    }
}
