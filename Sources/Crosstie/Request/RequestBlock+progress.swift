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
            return .already
        }
        guard block.pointee.isFollowed else {
            value.release()
            return .ok
        }
        return block.tell(value)
    }
}

/// Who tells is counted until the listener has heard: the completion comes after that.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    fileprivate func tell(_ value: ValueRef) -> Status {
        pointee.tellers.add(1, ordering: .sequentiallyConsistent)
        let seen = pointee.ending.load(ordering: .sequentiallyConsistent)
        guard seen & RequestBlock.Ending.stage == RequestBlock.Ending.open else {
            value.release()
            stopTelling()
            return .already
        }
        pointee.references.add(1, ordering: .relaxed)
        let loop = pointee.isAsynchronous ? pointee.detour?.delivery?.loop : nil
        if loop?.add(.progress(self, value)) != true { passOn(value) }
        return .ok
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
            let wait = { while isBeingTold { Clock.sleep(nanoseconds: 20_000) } }
            runtime?.without(wait) ?? wait()
        }
        pointee.detour?.delivery?.listener = nil
    }

    /// Leaves the completion to the request's loop. False when it has none.
    @inline(__always)
    func giveToLoop() -> Bool { pointee.isFollowed && addToLoop() }

    @inline(never)
    private func addToLoop() -> Bool {
        guard let loop = pointee.detour?.delivery?.loop else { return false }
        withPool(else: ()) { $0.forget(self) }
        return loop.add(.completion(self))
    }
}
