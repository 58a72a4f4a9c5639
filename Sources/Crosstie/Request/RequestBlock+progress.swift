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
        if block.pointee.isFollowed, let delivery = block.pointee.detour?.delivery, let listener = delivery.listener {
            return block.tell(value, listener, delivery.loop)
        }
        value.release()
        return .ok
    }
}

/// Who tells is counted until the listener has heard: the completion comes after that.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    fileprivate func tell(_ value: ValueRef, _ listener: ProgressListener, _ loop: LoopQueue?) -> Status {
        pointee.tellers.add(1, ordering: .sequentiallyConsistent)
        let seen = pointee.ending.load(ordering: .sequentiallyConsistent)
        guard seen & RequestBlock.Ending.stage == RequestBlock.Ending.open else {
            value.release()
            stopTelling()
            return .already
        }
        pointee.references.add(1, ordering: .relaxed)
        if !pointee.isAsynchronous || loop?.add(.progress(self, value)) != true { pass(on: value, to: listener) }
        return .ok
    }

    /// Lets the listener hear the value, and lets go of what was kept for that.
    private func pass(on value: ValueRef, to listener: ProgressListener) {
        let isTrusted = pointee.isAsynchronous ? pointee.isCallerTrusted : pointee.isLocal
        ThreadSlot.current.withCallback(isTrusted: isTrusted) { listener.hear(value) }
        value.release()
        stopTelling()
        dropAsCallback()
    }

    /// The same for a value that had to wait in a loop.
    func passOn(_ value: ValueRef) {
        if let listener = pointee.detour?.delivery?.listener { pass(on: value, to: listener) }
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

    /// Waits until nobody tells of the progress any more, with the caller's runtime let go.
    @inline(never)
    func waitForTellers(_ runtime: RuntimeLock?) {
        guard isBeingTold else { return }
        let wait = { while isBeingTold { Clock.sleep(nanoseconds: 20_000) } }
        runtime?.without(wait) ?? wait()
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
