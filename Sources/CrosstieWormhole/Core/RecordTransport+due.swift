/// The timer of scheduled messages: the sleep of a listening thread.
extension RecordTransport {
    /// Sends the messages that are due. Returns the time of the next look, by the clock of ``Clock/now()``; the largest number
    /// for never.
    @inline(__always)
    func heedTimer() -> UInt64 {
        group.wakeups.dueTime.pointee.load(ordering: .relaxed) == DueTimes.never ? .max : heedKnownTimer()
    }

    @inline(never)
    private func heedKnownTimer() -> UInt64 {
        let wakeups = group.wakeups
        let isKeeper = wakeups.keepsTime(slot)
        let wait = untilDue(wakeups, isKeeper)
        if wait > 0 { return Clock.now() &+ min(wait, 1 << 40) }
        if !isKeeper { wakeups.takeTimekeeping(slot) }
        // Listeners wait meanwhile, so it does not wait for long itself.
        group.sendDueOrLater(timeout: 2_000_000)
        let left = untilDue(wakeups, true)
        // Another process is writing.
        return left == 0 ? Clock.now() &+ 10_000_000 : left == .max ? .max : Clock.now() &+ min(left, 1 << 40)
    }

    /// Nanoseconds until this thread has something to do; 0 for at once, the largest number for never.
    private func untilDue(_ wakeups: Wakeups, _ isKeeper: Bool) -> UInt64 {
        let due = wakeups.dueTime.pointee.load(ordering: .relaxed)
        guard due != DueTimes.never else { return .max }
        if due == DueTimes.unknown { return 0 }
        let time = isKeeper ? due : due &+ DueTimes.grace
        let now = DueTimes.now
        return time > now ? time &- now : 0
    }

    /// Other members send the due messages.
    func endTimer() {
        let wakeups = group.wakeups
        guard wakeups.endTimekeeping(slot), wakeups.dueTime.pointee.load(ordering: .relaxed) != DueTimes.never else {
            return
        }
        wakeups.wake(wakeups.notify(wakeups.everybody))
    }
}
