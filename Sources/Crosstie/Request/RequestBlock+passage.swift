internal import Glibc
import Synchronization

extension RequestBlock {
    /// What the interceptor that has a request does with it.
    package enum Passage {
        /// No interceptor has ever had it.
        package static var none: UInt32 { 0 }
        /// An interceptor is running, and has not let it go on.
        static var running: UInt32 { 1 }
        /// The interceptor that is running has let it go on.
        static var granted: UInt32 { 2 }
        /// The interceptor has returned and keeps it.
        static var kept: UInt32 { 3 }
        /// Somebody is just letting it go on, or changing what comes after.
        static var claimed: UInt32 { 4 }
        /// It has gone on.
        static var passed: UInt32 { 5 }
        /// The interceptor has returned, and is about to leave it with whoever keeps it.
        static var leaving: UInt32 { 6 }
    }

    /// Lets a request go on: when the interceptor that runs returns, or at once if that has returned already.
    package static func proceed(_ handle: Handle) -> Status {
        let resolved = request(handle)
        guard case .live(let block) = resolved else { return resolved.status }
        do throws(CrosstieError) {
            try block.letPass { () throws(CrosstieError) in }
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
        guard block.pointee.kind == .open else {
            throw CrosstieError(.invalidArgument, "only a request that opens a URL has a URL to rewrite")
        }
        try block.letPass { () throws(CrosstieError) in try block.noteRewriting(url) }
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    private typealias Passage = RequestBlock.Passage

    /// Claims the passage, prepares what comes, and lets the request go on.
    fileprivate func letPass(_ prepare: () throws(CrosstieError) -> Void) throws(CrosstieError) {
        let seen = try claimPassage()
        SchedulePoint.pass()
        do throws(CrosstieError) {
            try prepare()
        } catch {
            pointee.passage.store(seen, ordering: .releasing)
            throw error
        }
        guard seen == Passage.kept else {
            pointee.passage.store(Passage.granted, ordering: .releasing)
            return
        }
        pointee.holding.bitwiseOr(RequestBlock.Holding.running, ordering: .acquiringAndReleasing)
        SchedulePoint.pass()
        pointee.passage.store(Passage.passed, ordering: .releasing)
        goOnHere()
    }

    /// Runs `body` while nobody else can let the request go on.
    func whilePassing(_ body: () throws(CrosstieError) -> Void) throws(CrosstieError) {
        let seen = try claimPassage()
        defer { pointee.passage.store(seen, ordering: .releasing) }
        try body()
    }

    /// What the passage was before it was claimed: *running* or *kept*.
    private func claimPassage() throws(CrosstieError) -> UInt32 {
        var seen = pointee.passage.load(ordering: .acquiring)
        while true {
            guard seen != Passage.none else { throw CrosstieError(.invalidArgument, "no interceptor has the request") }
            if seen == Passage.leaving || seen == Passage.claimed {
                sched_yield()
                seen = pointee.passage.load(ordering: .acquiring)
                continue
            }
            guard seen == Passage.running || seen == Passage.kept, !isEnding else {
                throw CrosstieError(.alreadyDone, "the request goes on already, or has ended")
            }
            let (won, now) = pointee.passage.compareExchange(
                expected: seen, desired: Passage.claimed, ordering: .acquiringAndReleasing)
            if won { return seen }
            seen = now
        }
    }

    /// Keeps the URL until the interceptor has returned: text of the one before may still be in use.
    fileprivate func noteRewriting(_ url: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard detour.rewrites < RequestDetour.maximumRewrites else {
            throw CrosstieError(.limitExceeded, "a request is rewritten at most \(RequestDetour.maximumRewrites) times")
        }
        try check(url)
        detour.rewritten = Array(url)
        detour.rewrites += 1
        pointee.isLocal = pointee.isLocal && ThreadSlot.current.isTrusted
    }

    /// Parses a URL into a request that nobody will see.
    private func check(_ url: UnsafeRawBufferPointer) throws(CrosstieError) {
        let (bus, handle) = (pointee.bus, pointee.busHandle)
        guard let scratch = RequestBlock.make(.open, on: ThreadSlot.current, bus: bus, handle: handle) else {
            throw CrosstieError(.outOfMemory, "no room for another request")
        }
        defer { scratch.drop() }
        // Whose it is depends on who asks.
        (scratch.pointee.kind, scratch.pointee.flags) = (.open, pointee.flags)
        scratch.pointee.isLocal = pointee.isLocal && ThreadSlot.current.isTrusted
        switch scratch.take(url) {
        case .parsed: return
        case .failed(let failure): throw failure.error
        case .needs: throw CrosstieError(.outOfMemory, "no memory for the URL")
        }
    }

    /// After an interceptor has returned. True when the request goes on, on this thread; it counts as running all the
    /// way to its handler, so that nobody who lets go of it ends it meanwhile.
    func settlePassage() -> Bool {
        guard !hasEnded else {
            stopRunning()
            return false
        }
        guard pointee.holding.load(ordering: .acquiring) & RequestBlock.Holding.countMask == 0 else {
            return settleHeldPassage()
        }
        guard pointee.passage.exchange(Passage.passed, ordering: .acquiringAndReleasing) == Passage.granted else {
            end(.noReply)
            stopRunning()
            return false
        }
        return takeUpRewriting()
    }

    /// The same when somebody holds the request, who may let it go on at this very moment.
    private func settleHeldPassage() -> Bool {
        let runtime = pointee.runtime
        pointee.isShared = true
        pointee.runtime = nil
        while true {
            switch pointee.passage.load(ordering: .acquiring) {
            case Passage.running:
                if leaveKept() { return false }
            case Passage.granted:
                pointee.passage.store(Passage.passed, ordering: .releasing)
                pointee.runtime = runtime
                return takeUpRewriting()
            default:
                sched_yield()
            }
        }
    }

    /// Leaves the request with whoever holds it; from then on that one decides. False when it was let go on just now:
    /// it must not have ceased to run then, not for a moment, or whoever lets go of it could end it.
    private func leaveKept() -> Bool {
        let (won, _) = pointee.passage.compareExchange(
            expected: Passage.running, desired: Passage.leaving, ordering: .acquiringAndReleasing)
        guard won else { return false }
        SchedulePoint.pass()
        let holding = pointee.holding.bitwiseAnd(~RequestBlock.Holding.running, ordering: .acquiringAndReleasing)
        pointee.passage.store(Passage.kept, ordering: .releasing)
        SchedulePoint.pass()
        // The last one may have let go while the request still counted as running.
        if holding.newValue & RequestBlock.Holding.countMask == 0 { end(.noReply) }
        return true
    }

    /// After a request has ended on its way: its handle is nobody's any more but those who hold it, and the pattern
    /// that was lent to it may go.
    func stopRunning() {
        if pointee.holding.load(ordering: .relaxed) != 0 {
            pointee.holding.bitwiseAnd(~RequestBlock.Holding.running, ordering: .acquiringAndReleasing)
        }
        if !pointee.keepsPattern { pointee.pattern = nil }
    }

    /// Goes on with a request whose interceptor has returned long ago, on the thread that lets it.
    private func goOnHere() {
        pointee.references.add(1, ordering: .relaxed)
        defer { drop() }
        guard takeUpRewriting() else { return }
        let slot = ThreadSlot.current
        if slot.hasRoomForRequest {
            Pipeline.goOn(self, slot)
        } else {
            handToWorker()
        }
    }

    /// Begins anew if the interceptor has rewritten the URL. False when the request has ended over that.
    private func takeUpRewriting() -> Bool {
        letGoOfPattern()
        guard let detour = pointee.detour, let url = detour.rewritten else { return true }
        detour.rewritten = nil
        detour.forgetDeclines()
        resetStages()
        detour.malformation = nil
        freeOverflow()
        let parsed = url.withUnsafeBytes { take($0) }
        if case .parsed = parsed { return true }
        // What was somebody's when the URL was checked may be nobody's by now.
        if case .failed(let failure) = parsed {
            end(failure.status, message: failure.error.description)
        } else {
            end(.outOfMemory)
        }
        stopRunning()
        return false
    }

    /// Lets a worker of the bus go on with the request. The one that had it before may not have left it yet.
    func handToWorker() {
        pointee.isShared = true
        pointee.runtime = nil
        if pointee.isAsynchronous { pointee.attendants.add(1, ordering: .sequentiallyConsistent) }
        SchedulePoint.pass()
        pointee.references.add(1, ordering: .relaxed)
        let status = queue()
        guard status != .ok else { return }
        end(status)
        stopRunning()
        if pointee.isAsynchronous {
            withPool(else: ()) { $0.forget(self) }
            if leaveUnattended() { completeHere() }
        }
        drop()
    }
}
