import Synchronization

/// Telling a caller how far its request has come.
extension RequestBlock {
    /// Tells whoever listens. Takes `value`.
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
        return block.tellFollower(value)
    }
}

/// Who tells is counted until the listener has heard: the completion comes after that. A loop keeps that order by
/// itself, so there the completion need not wait for it outside.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Tells whoever follows the request, if anybody does. Takes `value`.
    func tellFollower(_ value: ValueRef) -> Status {
        if pointee.isFollowed { return tell(value) }
        value.release()
        return .ok
    }

    private func tell(_ value: ValueRef) -> Status {
        pointee.tellers.add(1, ordering: .sequentiallyConsistent)
        let seen = pointee.ending.load(ordering: .sequentiallyConsistent)
        guard seen & RequestBlock.Ending.stage == RequestBlock.Ending.open else { return comeLate(value) }
        pointee.references.add(1, ordering: .relaxed)
        let loop = pointee.isAsynchronous ? pointee.detour?.delivery?.loop : nil
        switch loop?.add(.progress(self, value)) {
        case .ok: return .ok
        case .alreadyDone:
            defer { dropAsCallback() }
            return comeLate(value)
        default:
            passOn(value)
            return .ok
        }
    }

    private func comeLate(_ value: ValueRef) -> Status {
        value.release()
        stopTelling()
        return .alreadyDone
    }

    /// Lets the listener hear a value, and lets go of what was kept for that.
    func passOn(_ value: ValueRef) {
        if let listener = pointee.detour?.delivery?.listener {
            let isTrusted = pointee.isAsynchronous ? pointee.isCallerTrusted : pointee.isLocal
            ThreadSlot.current.withCallback(isTrusted: isTrusted) { listener.hear(value) }
        }
        value.release()
        stopTelling()
        dropAsCallback()
    }

    /// The last one sees to the completion of a request that has ended meanwhile.
    private func stopTelling() {
        let left = pointee.tellers.subtract(1, ordering: .sequentiallyConsistent).newValue
        guard left == 0, pointee.isAsynchronous, hasEnded else { return }
        completeIfUnattended()
        if !isCompletionClaimed { expedite() }
    }

    /// Whether somebody is just telling the progress, so that the completion has to wait.
    @inline(__always)
    var isBeingTold: Bool { pointee.isFollowed && pointee.tellers.load(ordering: .sequentiallyConsistent) != 0 }

    /// Waits, with the caller's runtime let go, until nobody tells of the progress of a request that has ended; then
    /// the listener is not needed any more.
    @inline(never)
    func endTelling(_ runtime: RuntimeLock? = nil) {
        if isBeingTold {
            runtime?.without(waitUntilTold) ?? waitUntilTold()
        }
        pointee.detour?.delivery?.listener = nil
    }

    /// Whoever hears cannot be left alone with the listener: the host is asked, but the wait goes on.
    private func waitUntilTold() {
        var wait = NappingWait()
        while isBeingTold { _ = wait.nap() }
    }
}
