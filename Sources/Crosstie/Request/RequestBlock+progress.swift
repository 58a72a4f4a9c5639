import Synchronization

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
