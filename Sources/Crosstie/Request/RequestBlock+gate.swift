import Synchronization

/// Letting a request go on from an interceptor.
extension RequestBlock {
    /// Lets a request go on: when the interceptor that runs returns, or at once if it has returned.
    package static func proceed(_ handle: Handle) -> Status {
        let resolved = request(handle)
        guard case .live(let block) = resolved else { return resolved.status }
        do throws(CrosstieError) {
            try block.openGate { () throws(CrosstieError) in }
            return .ok
        } catch {
            return error.status
        }
    }

    /// The same with another URL, from the beginning.
    package static func rewrite(_ handle: Handle, _ url: UnsafeRawBufferPointer) throws(CrosstieError) {
        let resolved = request(handle)
        guard case .live(let block) = resolved else {
            throw CrosstieError(resolved.status, "invalid or released request handle")
        }
        guard block.pointee.kind.hasURL else {
            throw CrosstieError(.invalidArgument, "only a request that opens a URL has a URL to rewrite")
        }
        try block.openGate { () throws(CrosstieError) in try block.noteRewrite(url) }
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Claims the gate, prepares the stages behind it, and lets the request go on.
    fileprivate func openGate(_ prepare: () throws(CrosstieError) -> Void) throws(CrosstieError) {
        let before = try claimGate()
        SchedulePoint.pass()
        do throws(CrosstieError) {
            try prepare()
        } catch {
            pointee.gate.restore(before)
            throw error
        }
        guard before == .kept else { return pointee.gate.grant() }
        pointee.retainCount.resumeRunning()
        SchedulePoint.pass()
        pointee.gate.pass()
        goOnHere()
    }

    /// Runs `body` while no other thread can let the request go on.
    func withClaimedGate(_ body: () throws(CrosstieError) -> Void) throws(CrosstieError) {
        let before = try claimGate()
        defer { pointee.gate.restore(before) }
        try body()
    }

    private func claimGate() throws(CrosstieError) -> GateState {
        switch pointee.gate.claim(unless: { isEnding }) {
        case .won(let before): return before
        case .notIntercepted: throw CrosstieError(.invalidArgument, "no interceptor has the request")
        case .tooLate: throw CrosstieError(.alreadyDone, "the request goes on already, or has ended")
        }
    }

    /// Keeps the URL until the interceptor has returned: text of the one before may still be in use.
    fileprivate func noteRewrite(_ url: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard extras.rewrites < RequestExtras.maximumRewrites else {
            let limit = "cannot be rewritten more than \(RequestExtras.maximumRewrites) times"
            throw CrosstieError(.limitExceeded, "\(subject) \(limit)")
        }
        try check(url)
        extras.rewritten = Array(url)
        extras.rewrites += 1
        pointee.isLocal = pointee.isLocal && ThreadSlot.current.isTrusted
    }

    /// Parses a URL into a request that no other code sees.
    private func check(_ url: UnsafeRawBufferPointer) throws(CrosstieError) {
        let (bus, handle) = (pointee.bus, pointee.busHandle)
        guard let scratch = RequestBlock.make(.open, on: ThreadSlot.current, bus: bus, handle: handle) else {
            throw CrosstieError(.outOfMemory, "no room for another request")
        }
        defer { scratch.drop() }
        // The URL's meaning depends on its caller.
        (scratch.pointee.kind, scratch.pointee.flags) = (.open, pointee.flags)
        scratch.pointee.isLocal = pointee.isLocal && ThreadSlot.current.isTrusted
        switch scratch.take(url) {
        case .parsed: return
        case .failed(let failure): throw failure.error
        case .needs: throw CrosstieError(.outOfMemory, "no memory for the URL")
        }
    }
}

/// The way on after an interceptor.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Decides what becomes of the request after an interceptor has returned. True if it goes on, on this thread: it
    /// counts as running all the way to its handler, so that no release ends it meanwhile.
    func passGate() -> Bool {
        guard !hasEnded else {
            stopRunning()
            return false
        }
        guard !pointee.retainCount.isRetained else { return passGateRetained() }
        guard pointee.gate.passIfGranted() else {
            end(.noReply)
            stopRunning()
            return false
        }
        return startRewrite()
    }

    /// The same if the request is retained, so that another thread may let it go on at this very moment.
    private func passGateRetained() -> Bool {
        let runtime = pointee.runtime
        pointee.isShared = true
        pointee.runtime = nil
        switch pointee.gate.leave() {
        case .granted:
            pointee.runtime = runtime
            return startRewrite()
        case .leaving:
            SchedulePoint.pass()
            // The gate is kept only after that: a request that goes on must not cease to run, not for a moment, or a
            // release could end it.
            let isRetained = pointee.retainCount.stopRunning()
            pointee.gate.keep()
            SchedulePoint.pass()
            // The last retain may have been released while the request still counted as running.
            if !isRetained { end(.noReply) }
            return false
        }
    }

    /// Stops a request that has ended on its way: its handle stays valid for retains alone, and the pattern that was
    /// lent to it may be freed.
    func stopRunning() {
        if pointee.retainCount.isUsed { pointee.retainCount.stopRunning() }
        if !pointee.keepsPattern { pointee.pattern = nil }
    }

    /// Goes on with a request whose interceptor returned long ago, on the thread that lets it.
    private func goOnHere() {
        pointee.references.add()
        defer { drop() }
        guard startRewrite() else { return }
        let slot = ThreadSlot.current
        if slot.hasRoomForRequest {
            Pipeline.goOn(self, slot)
        } else {
            handToWorker()
        }
    }

    /// Starts from the beginning if the interceptor has rewritten the URL. False if the request has ended over that.
    private func startRewrite() -> Bool {
        dropPattern()
        guard let extras = pointee.extras, let url = extras.rewritten else { return true }
        extras.rewritten = nil
        extras.forgetDeclines()
        resetStages()
        extras.malformation = nil
        freeOverflow()
        let parsed = url.withUnsafeBytes { take($0) }
        if case .parsed = parsed { return true }
        // The bus may have changed since the URL was checked.
        if case .failed(let failure) = parsed {
            end(failure.status, message: failure.error.description)
        } else {
            end(.outOfMemory)
        }
        stopRunning()
        return false
    }
}
