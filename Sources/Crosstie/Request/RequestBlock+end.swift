import Synchronization

/// The end of a request: one thread wins it, however many race.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    @inline(__always)
    package var hasEnded: Bool { pointee.completionWord.hasEnded }

    /// Whether the request has ended, or a thread is ending it.
    @inline(__always)
    var isEnding: Bool { pointee.completionWord.isClaimed }

    /// Ends the request; false if another thread did. Takes `value` and `message` in any case.
    @inline(__always)
    package func end(_ status: Status, code: Int32, value: ValueRef = .null, message: ValueRef = .null) -> Bool {
        let claim = pointee.completionWord.claim()
        guard claim.isWon else {
            value.release()
            message.release()
            return false
        }
        SchedulePoint.pass()
        pointee.status = status
        pointee.code = code
        pointee.value = value
        pointee.message = message
        if claim.isObserved { publishWithCallbacks() } else { publish() }
        return true
    }

    /// Ends the request with its handler's answer, unless the deadline has passed. Takes `value` and `message` in any
    /// case.
    @inline(__always)
    package func answer(_ status: Status, code: Int32, value: ValueRef = .null, message: ValueRef = .null) -> Bool {
        guard !isOverdue else { return endOverdue(value, message) }
        return end(status, code: code, value: value, message: message)
    }

    /// Ends a request that nobody could end in time: its handler had the caller's own thread.
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

    /// Ends a request with success that nobody but this thread can know of, without a read-modify-write if it has no
    /// callbacks.
    @inline(__always)
    package func endAlone() {
        if !pointee.completionWord.completeAlone() { _ = end(.ok, code: Status.ok.code) }
    }

    /// Ends an asynchronous request that a worker may have in hand.
    func endEarly(_ status: Status) -> Bool {
        guard end(status) else { return false }
        expedite()
        return true
    }

    @inline(__always)
    private func publish() {
        guard pointee.isAsynchronous || pointee.isShared || ThreadSlot.current.currentRequest != self else {
            // The thread that would wait for it is this one.
            pointee.completionWord.publishAlone()
            return
        }
        pointee.completionWord.publish()
        if pointee.isAsynchronous { completeIfUnowned() }
    }

    @inline(never)
    private func publishWithCallbacks() {
        let isCancelled = showResponse()
        let pool = poolToWaitForCallbacks
        pool?.countUnfinished()
        pointee.completionWord.publish(isCancelled: isCancelled)
        if pointee.isAsynchronous { completeIfUnowned() }
        notifyCallbacks()
        pool?.countFinished()
    }
}

/// Waiting for the end.
extension UnsafeMutablePointer where Pointee == RequestBlock {
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

    /// Waits without notifying the pool that this thread does.
    func sleep(until deadline: UInt64) -> WaitEnd {
        pointee.completionWord.wait(until: deadline, from: pointee.isAsynchronous ? nil : pointee.answerSource)
    }

    /// Whether the thread that runs the request is its caller's, which will wait for its end.
    package var hasWaitingCaller: Bool {
        !pointee.isAsynchronous && !pointee.isShared && ThreadSlot.current.currentRequest == self
    }
}

/// The time that is left.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the deadline has passed. The precise clock, which costs much more, is read only close to the deadline.
    @inline(__always)
    package var isOverdue: Bool {
        let deadline = pointee.deadline
        guard deadline != Clock.never, deadline < Clock.coarse() &+ Clock.coarseLag else { return false }
        return deadline <= Clock.now()
    }

    /// Whether an answer would be dropped now because of a cancel, the deadline, or the bus's closing.
    package var isCancelled: Bool {
        hasEnded ? wasCancelled : isOverdue
    }

    /// Nil where there is no deadline. A millisecond that has begun counts.
    package var millisecondsLeft: Int64? {
        guard pointee.deadline != Clock.never else { return nil }
        let now = Clock.now()
        guard now < pointee.deadline else { return 0 }
        return Int64(clamping: (pointee.deadline - now - 1) / 1_000_000 + 1)
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Sets when the request ends at the latest: never after the one that it is made in or for.
    @inline(always)
    func setDeadline(_ milliseconds: Int64, within parent: RequestBlock.Pointer?) {
        let own = Clock.deadline(milliseconds: milliseconds)
        guard let parent, parent.pointee.deadline < own else {
            pointee.deadline = own
            return
        }
        pointee.deadline = parent.pointee.deadline
        pointee.timeLimit = parent.pointee.timeLimit.forInner
    }
}
