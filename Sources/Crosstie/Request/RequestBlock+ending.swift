internal import CPlatform
internal import Glibc
import Synchronization

/// Ending a request: claimed by one, whoever races.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    package var hasEnded: Bool {
        pointee.ending.load(ordering: .acquiring) & RequestBlock.Ending.ended != 0
    }

    /// Ends the request; false when somebody else did. Takes `value` and `message` in any case.
    @inline(__always)
    package func end(_ status: Status, code: Int32, value: ValueRef = .null, message: ValueRef = .null) -> Bool {
        let before = claimEnding()
        guard before & RequestBlock.Ending.stage == RequestBlock.Ending.open else {
            value.release()
            message.release()
            return false
        }
        Delay.point()
        pointee.status = status
        pointee.code = code
        pointee.value = value
        pointee.message = message
        if before & RequestBlock.Ending.attended == 0 { publishEnding() } else { publishAttendedEnding() }
        return true
    }

    /// Ends the request with what its handler says, unless its time is over. Takes `value` and `message` in any case.
    @inline(__always)
    package func answer(_ status: Status, code: Int32, value: ValueRef = .null, message: ValueRef = .null) -> Bool {
        guard !isOverdue else { return endOverdue(value, message) }
        return end(status, code: code, value: value, message: message)
    }

    /// Nobody has come to end it in time: its handler had the caller's own thread.
    @inline(never)
    private func endOverdue(_ value: ValueRef, _ message: ValueRef) -> Bool {
        value.release()
        message.release()
        end(.timeout)
        return false
    }

    /// Ends the request with a status that comes from the library itself.
    @inline(never)
    @discardableResult
    package func end(_ status: Status, message: String = "") -> Bool {
        let text = message.isEmpty ? nil : try? Value.string(message).makeRef()
        return end(status, code: status.code, message: text ?? .null)
    }

    /// Ends a request with success that nobody but this thread can know of: no atomic operation is needed, unless
    /// somebody wants to know.
    @inline(__always)
    package func endAlone() {
        if pointee.ending.load(ordering: .relaxed) == RequestBlock.Ending.open {
            pointee.ending.store(RequestBlock.Ending.ended, ordering: .relaxed)
        } else {
            _ = end(.ok, code: Status.ok.code)
        }
    }

    /// The word as it was: the ending is the caller's if it was still open.
    @inline(__always)
    private func claimEnding() -> UInt32 {
        var seen = RequestBlock.Ending.open
        while true {
            let (won, now) = pointee.ending.compareExchange(
                expected: seen, desired: seen | RequestBlock.Ending.claimed, ordering: .acquiringAndReleasing)
            if won || now & RequestBlock.Ending.stage != RequestBlock.Ending.open { return now }
            seen = now
        }
    }

    @inline(__always)
    private func publishEnding() {
        guard pointee.isAsynchronous || pointee.isShared || ThreadSlot.current.currentRequest != self else {
            // Who would wait for it is the one that ends it.
            pointee.ending.store(RequestBlock.Ending.ended, ordering: .releasing)
            return
        }
        let before = pointee.ending.exchange(RequestBlock.Ending.ended, ordering: .sequentiallyConsistent)
        Delay.point()
        if before & RequestBlock.Ending.waiter != 0 { wakeWaiters() }
        if pointee.isAsynchronous { completeIfUnattended() }
    }

    /// The same for a request with callbacks.
    @inline(never)
    private func publishAttendedEnding() {
        let before = pointee.ending.exchange(showResponse(), ordering: .sequentiallyConsistent)
        if before & RequestBlock.Ending.waiter != 0 { wakeWaiters() }
        if pointee.isAsynchronous { completeIfUnattended() }
        tellEnding()
    }

    private var endingWord: UnsafeRawPointer {
        UnsafeRawPointer(self) + RequestBlock.Layout.endingWord
    }

    private func wakeWaiters() { _ = cp_futex_wake(endingWord, Int32.max, false) }

    /// Waits until the request has ended: *ok*. Else *timeout* when the deadline came first, `Clock.never` for none; or
    /// *deadlock* at once when this thread is the last one that could run the request.
    package func wait(until deadline: UInt64) -> Status {
        guard !hasEnded, let pool = ThreadSlot.current.pointee.pool else {
            return sleep(until: deadline) ? .ok : .timeout
        }
        guard let isInTime = pool.whileWaiting(for: self, { sleep(until: deadline) }) else { return .deadlock }
        return isInTime ? .ok : .timeout
    }

    /// False when the deadline came first. It does not tell the pool that this thread waits.
    func sleep(until deadline: UInt64) -> Bool {
        while !hasEnded {
            let seen = pointee.ending.bitwiseOr(RequestBlock.Ending.waiter, ordering: .acquiringAndReleasing).newValue
            if seen & RequestBlock.Ending.ended != 0 { return true }
            Delay.point()
            let now = Clock.now()
            guard now < deadline else { return hasEnded }
            sleep(on: seen, nanoseconds: deadline == Clock.never ? nil : deadline - now)
        }
        return true
    }

    private func sleep(on seen: UInt32, nanoseconds: UInt64?) {
        guard let nanoseconds else {
            _ = cp_futex_wait(endingWord, seen, nil, false)
            return
        }
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = cp_futex_wait(endingWord, seen, &time, false)
    }
}

/// The completion of an asynchronous request: exactly once, by the last worker that had it, or by
/// whoever ended it after that one had left.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// To be called by its worker when it is done with the request, whatever became of it.
    package func leaveUnattended() {
        Delay.point()
        let left = pointee.attendants.subtract(1, ordering: .sequentiallyConsistent).newValue
        Delay.point()
        if left == 0, hasEnded, !isBeingTold, claimCompletion() { complete() }
    }

    /// The completion of a request that has ended, on a worker or in its loop, unless somebody still has the request.
    func completeIfUnattended() {
        guard pointee.attendants.load(ordering: .sequentiallyConsistent) == 0, !isBeingTold, claimCompletion() else {
            return
        }
        if !giveToLoop(), !withPool(else: false, { $0.submitCompletion(self) }) { runCompletion() }
    }

    var isCompletionClaimed: Bool { pointee.isCompletionClaimed.load(ordering: .acquiring) }

    func claimCompletion() -> Bool {
        Delay.point()
        return !pointee.isCompletionClaimed.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Runs the completion on this thread, or leaves it to the request's loop.
    package func complete() {
        if !giveToLoop() { runCompletion() }
    }

    /// Runs the completion, tells its context that it is not needed any more, and lets go of the
    /// pipeline's reference.
    func runCompletion() {
        let context = pointee.completionContext
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
    }

    /// A failure is never swallowed: without a completion and a call, the log is told.
    private func logUnheardFailure() {
        let text = pointee.message.stringBytes.map { String(decoding: $0, as: UTF8.self) }
        BusRecord.write(about: self, .warning, "\(title) failed: \(text ?? pointee.status.message)")
    }

    /// What it asks for: the URL, or the two names.
    private var title: String {
        guard let target, let action else { return String(decoding: urlPart(.whole) ?? .empty, as: UTF8.self) }
        return "\(String(decoding: target, as: UTF8.self)) \(String(decoding: action, as: UTF8.self))"
    }
}
