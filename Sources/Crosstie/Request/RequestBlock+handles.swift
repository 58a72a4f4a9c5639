import Synchronization

/// The handles of a response and of a call: a request as its caller sees it.
extension RequestBlock {
    /// The block of a response's handle.
    @inline(__always)
    package static func response(_ handle: Handle) -> Resolved<RequestBlock> {
        let resolved = resolve(handle, .response)
        guard case .live(let block) = resolved else { return resolved }
        return block.pointee.exposure.hasResponse ? resolved : .dead
    }

    package static func releaseResponse(_ handle: Handle) -> Status {
        let resolved = resolve(handle, .response)
        guard case .live(let block) = resolved else { return resolved.status }
        guard block.pointee.exposure.removeResponse() else { return .invalidHandle }
        block.drop()
        return .ok
    }

    /// The block of a call's handle. Only with the process's lock, which a release of a call takes, too.
    private static func call(_ handle: Handle) -> Resolved<RequestBlock> {
        let resolved = resolve(handle, .call)
        guard case .live(let block) = resolved else { return resolved }
        guard block.pointee.exposure.hasCall else { return .dead }
        // By the time its exposure was read the record may have become another call's.
        return resolve(handle, .call)
    }

    /// The same with a reference for the caller, since another thread may release the call meanwhile.
    private static func retainedCall(_ handle: Handle) -> Resolved<RequestBlock> {
        ProcessState.lock.with {
            let resolved = call(handle)
            if case .live(let block) = resolved { block.pointee.references.add() }
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

    /// The request of a call that has ended, with a reference for the caller; nil before that.
    package static func ended(_ handle: Handle) -> RequestBlock.Pointer? {
        guard case .live(let block) = retainedCall(handle) else { return nil }
        if block.hasEnded { return block }
        block.drop()
        return nil
    }

    /// The state of a call: *pending*, or its response's status.
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
            if case .live(let block) = resolved { block.pointee.exposure.removeCall() }
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
        pointee.exposure.exposeResponse()
        return opaque(.response)
    }

    /// Adds a reference for a response that is handed out. False when as many are out as can be counted.
    fileprivate func lendResponse() -> Bool {
        pointee.references.add()
        if pointee.exposure.addResponse() { return true }
        drop()
        return false
    }

    /// Whether this thread is inside the request's handler, or is ending it, and no other thread could end it.
    fileprivate var isWaitHopeless: Bool {
        guard !hasEnded, ThreadSlot.current.isHandling(self) else { return false }
        return !pointee.retainCount.isRetained || mayChangeResponse
    }
}
