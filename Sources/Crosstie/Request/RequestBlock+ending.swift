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
        SchedulePoint.pass()
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
        end(.timedOut)
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
        SchedulePoint.pass()
        if before & RequestBlock.Ending.waiter != 0 { wakeWaiters() }
        if pointee.isAsynchronous { completeIfUnattended() }
    }

    /// The same for a request with callbacks.
    @inline(never)
    private func publishAttendedEnding() {
        let word = showResponse()
        let pool = poolToWaitForCallbacks
        pool?.countUnfinished()
        let before = pointee.ending.exchange(word, ordering: .sequentiallyConsistent)
        if before & RequestBlock.Ending.waiter != 0 { wakeWaiters() }
        if pointee.isAsynchronous { completeIfUnattended() }
        tellEnding()
        pool?.countFinished()
    }

    /// Closing waits for callbacks of an ending, too: for a worker's it does anyway.
    private var poolToWaitForCallbacks: WorkerPool.Pointer? {
        guard pointee.isAsynchronous, let pool = countingPool, pool != ThreadSlot.current.pointee.pool else {
            return nil
        }
        return pool
    }

    private var endingWord: UnsafeRawPointer {
        UnsafeRawPointer(self) + RequestBlock.Layout.endingWord
    }

    private func wakeWaiters() { _ = cp_futex_wake(endingWord, Int32.max, false) }

    /// Waits until the request has ended: *ok*. Else *timedOut* when the deadline came first, `Clock.never` for none;
    /// *cancelled* when the host does not want this thread to wait any longer; or *deadlock* at once when this thread is
    /// the last one that could run the request.
    package func wait(until deadline: UInt64) -> Status {
        guard !hasEnded, let pool = ThreadSlot.current.pointee.pool else { return status(of: sleep(until: deadline)) }
        return pool.whileWaiting(for: self) { sleep(until: deadline) }.map(status) ?? .deadlock
    }

    private func status(of end: WaitEnd) -> Status {
        switch end {
        case .over: .ok
        case .late: .timedOut
        case .unwanted: .cancelled
        }
    }

    /// It does not tell the pool that this thread waits.
    func sleep(until deadline: UInt64) -> WaitEnd {
        let slot = ThreadSlot.current
        while !hasEnded {
            let seen = pointee.ending.bitwiseOr(RequestBlock.Ending.waiter, ordering: .acquiringAndReleasing).newValue
            if seen & RequestBlock.Ending.ended != 0 { return .over }
            SchedulePoint.pass()
            let now = Clock.now()
            guard now < deadline else { return hasEnded ? .over : .late }
            let left = deadline == Clock.never ? nil : deadline - now
            guard let longest = slot.longestSleep else {
                sleep(on: seen, nanoseconds: left)
                continue
            }
            let wasWoken = sleep(on: seen, nanoseconds: min(left ?? longest, longest))
            if !wasWoken, !hasEnded, slot.isWaitUnwanted() { return .unwanted }
        }
        return .over
    }

    /// False when the time was over, or a signal came.
    @discardableResult
    private func sleep(on seen: UInt32, nanoseconds: UInt64?) -> Bool {
        let failure: Int32
        if let nanoseconds {
            var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            failure = cp_futex_wait(endingWord, seen, &time, false)
        } else {
            failure = cp_futex_wait(endingWord, seen, nil, false)
        }
        return failure != ETIMEDOUT && failure != EINTR
    }
}
