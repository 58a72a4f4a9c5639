import Synchronization

/// The completion of an asynchronous request: exactly once, by the last worker that had it, or by whoever ended it after
/// that one had left.
///
/// Who has claimed it also owns the request's place among its pool's unfinished ones, and gives that up when the
/// completion has run or lies in a loop: until then the bus does not end (``WorkerPool``).
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// To be called by who is done with the request, whatever became of it. True when the completion is that one's, to
    /// ``complete()``.
    package func leaveUnattended() -> Bool {
        SchedulePoint.pass()
        let left = pointee.attendants.subtract(1, ordering: .sequentiallyConsistent).newValue
        SchedulePoint.pass()
        return left == 0 && hasEnded && isCompletionDue && claimCompletion()
    }

    /// The completion of a request that has ended, on a worker or in its loop, unless somebody still has the request.
    func completeIfUnattended() {
        guard pointee.attendants.load(ordering: .sequentiallyConsistent) == 0, isCompletionDue, claimCompletion() else {
            return
        }
        if !giveToLoop(), !withPool(else: false, { $0.submitCompletion(self) }) { finishHere() }
    }

    /// Whether no progress has to be heard first. A loop keeps the order by itself.
    var isCompletionDue: Bool { !isBeingTold || pointee.detour?.delivery?.loop != nil }

    var isCompletionClaimed: Bool { pointee.isCompletionClaimed.load(ordering: .acquiring) }

    func claimCompletion() -> Bool {
        SchedulePoint.pass()
        return !pointee.isCompletionClaimed.exchange(true, ordering: .sequentiallyConsistent)
    }

    /// Whether the completion, which the caller has claimed, may run. While somebody hears of the progress it may not:
    /// then the last of those sees to it, and the claim is given up.
    func keepsClaim() -> Bool {
        while isBeingTold {
            // Whoever claims it now may let go of the last reference.
            pointee.references.add(1, ordering: .relaxed)
            pointee.isCompletionClaimed.store(false, ordering: .sequentiallyConsistent)
            SchedulePoint.pass()
            let isMine = !isBeingTold && claimCompletion()
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

    /// The pool that counts the request among its unfinished ones, and so cannot go.
    var countingPool: WorkerPool.Pointer? {
        guard pointee.isCounted else { return nil }
        return Dispatchers(pointee.bus.pointee.dispatchers.load(ordering: .acquiring))?[pointee.dispatcher]
    }

    /// Leaves the completion, which the caller has claimed, to the request's loop. False when it has none that takes it.
    @inline(__always)
    private func giveToLoop() -> Bool { pointee.isFollowed && addToLoop() }

    @inline(never)
    private func addToLoop() -> Bool {
        guard let loop = pointee.detour?.delivery?.loop else { return false }
        let pool = countingPool
        let isCounted = pointee.isCounted
        pool?.forget(self)
        // Who dispatches the loop may be done with the request before this returns.
        pointee.isCounted = false
        guard loop.add(.completion(self)) == .ok else {
            pointee.isCounted = isCounted
            return false
        }
        SchedulePoint.pass()
        pool?.countFinished()
        return true
    }

    /// Runs the completion, tells its context that it is not needed any more, and lets go of the pipeline's reference.
    /// True when its pool is still to count it as finished.
    func runCompletion() -> Bool {
        let (context, isCounted) = (pointee.completionContext, pointee.isCounted)
        if let completion = pointee.completion {
            pointee.views.bitwiseOr(RequestBlock.View.completion, ordering: .relaxed)
            ThreadSlot.current.withCallback(isTrusted: pointee.isCallerTrusted) {
                if let response = opaque(.response) { completion(response, context.pointer) }
            }
            pointee.views.bitwiseAnd(~RequestBlock.View.completion, ordering: .relaxed)
        } else if !pointee.isHeard, !pointee.status.isSuccess {
            logUnheardFailure()
        }
        if pointee.isFollowed { endTelling() }
        context.destroy()
        dropAsCallback()
        return isCounted
    }

    /// A failure is never swallowed: without a completion and a call, the log is told.
    private func logUnheardFailure() {
        let text = responseMessage.map { String(decoding: $0, as: UTF8.self) }
        BusRecord.write(about: self, .warning, "\(title) failed: \(text ?? pointee.status.message)")
    }

    /// What it asks for: the URL, or the two names.
    private var title: String {
        guard let target, let action else { return String(decoding: urlPart(.whole) ?? .empty, as: UTF8.self) }
        return "\(String(decoding: target, as: UTF8.self)) \(String(decoding: action, as: UTF8.self))"
    }
}
