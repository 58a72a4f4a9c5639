import Synchronization

/// The completion of an asynchronous request: exactly once, by the last worker that had the request, or by the thread
/// that ended it after that worker had left (``CompletionOwnership``).
///
/// The thread that has claimed it also owns the request's entry among its pool's unfinished ones, and gives that up when
/// the completion has run or has been added to a loop: until then the bus does not end (``WorkerPool``).
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Removes an owner that is done with the request, whatever became of it. True if the caller has to ``complete()``
    /// it.
    package func removeOwner() -> Bool {
        SchedulePoint.pass()
        let isLast = pointee.ownership.removeOwner()
        SchedulePoint.pass()
        return isLast && hasEnded && isCompletionDue && claimCompletion()
    }

    /// Completes a request that has ended, on a worker or in its loop, unless it has an owner.
    func completeIfUnowned() {
        guard !pointee.ownership.hasOwner, isCompletionDue, claimCompletion() else { return }
        completeElsewhere()
    }

    /// Leaves the completion, which the caller has claimed, to the request's loop or a worker.
    func completeElsewhere() {
        if !giveToLoop(), !withPool(else: false, { $0.submitCompletion(self) }) { finishHere() }
    }

    /// Whether no progress has to be delivered first. A loop keeps the order by itself.
    var isCompletionDue: Bool { !hasProgressInFlight || pointee.extras?.delivery?.loop != nil }

    var isCompletionClaimed: Bool { pointee.ownership.isClaimed }

    func claimCompletion() -> Bool {
        SchedulePoint.pass()
        return pointee.ownership.claim()
    }

    /// Whether the completion, which the caller has claimed, may run. It may not while progress is being delivered: the
    /// claim is given up then, and the last progress call sees to the completion.
    func keepsClaim() -> Bool {
        while hasProgressInFlight {
            // The next claimant may drop the last reference.
            pointee.references.add()
            pointee.ownership.giveUpClaim()
            SchedulePoint.pass()
            let isMine = !hasProgressInFlight && claimCompletion()
            dropAsCallback()
            if !isMine { return false }
        }
        return true
    }

    /// Runs the completion, which the caller has claimed, on this worker or leaves it to the request's loop. True when
    /// its pool is still to count it as finished.
    package func complete() -> Bool { !giveToLoop() && keepsClaim() && runCompletion() }

    /// The same on any thread, counting included.
    func completeHere() {
        if !giveToLoop() { finishHere() }
    }

    private func finishHere() {
        guard keepsClaim() else { return }
        let pool = countingPool
        if runCompletion() { pool?.countFinished() }
    }

    /// The pool that counts the request among its unfinished ones, and so cannot end.
    var countingPool: WorkerPool.Pointer? {
        guard pointee.isCounted else { return nil }
        return Dispatchers(pointee.bus.pointee.dispatchers.load(ordering: .acquiring))?[pointee.dispatcher]
    }

    /// The pool whose closing has to wait for callbacks of this ending; nil on a worker, for which it waits anyway.
    var poolToWaitForCallbacks: WorkerPool.Pointer? {
        guard pointee.isAsynchronous, let pool = countingPool, pool != ThreadSlot.current.pointee.pool else {
            return nil
        }
        return pool
    }

    /// Leaves the completion, which the caller has claimed, to the request's loop. False if no loop takes it.
    @inline(__always)
    private func giveToLoop() -> Bool { pointee.isFollowed && addToLoop() }

    @inline(never)
    private func addToLoop() -> Bool {
        guard let loop = pointee.extras?.delivery?.loop else { return false }
        let pool = countingPool
        let isCounted = pointee.isCounted
        pool?.forget(self)
        // The thread that dispatches the loop may be done with the request before this returns.
        pointee.isCounted = false
        guard loop.add(.completion(self)) == .ok else {
            pointee.isCounted = isCounted
            return false
        }
        SchedulePoint.pass()
        pool?.countFinished()
        return true
    }

    /// Runs the completion, destroys its context, and drops the pipeline's reference. True when its pool is still to
    /// count it as finished.
    func runCompletion() -> Bool {
        let (context, isCounted) = (pointee.completionContext, pointee.isCounted)
        if let completion = pointee.completion {
            pointee.exposure.lend(.completion)
            ThreadSlot.current.withCallback(isTrusted: pointee.isCallerTrusted) {
                if let response = opaque(.response) { completion(response, context.pointer) }
            }
            pointee.exposure.takeBack(.completion)
        } else if !pointee.isObserved, !pointee.status.isSuccess {
            logUnobservedFailure()
        }
        if pointee.isFollowed { endProgress() }
        context.destroy()
        dropAsCallback()
        return isCounted
    }

    /// Logs a failure that no completion and no call reports: a failure is never swallowed.
    private func logUnobservedFailure() {
        let text = responseMessage.map { String(decoding: $0, as: UTF8.self) }
        BusRecord.write(about: self, .warning, "\(title) failed: \(text ?? pointee.status.message)")
    }

    /// The URL, or the two names.
    private var title: String {
        guard let target, let action else { return String(decoding: urlPart(.whole) ?? .empty, as: UTF8.self) }
        return "\(String(decoding: target, as: UTF8.self)) \(String(decoding: action, as: UTF8.self))"
    }
}
