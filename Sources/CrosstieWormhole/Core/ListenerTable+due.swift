/// The listeners that need attention.
extension ListenerTable {
    /// Takes the listeners that are due, and those whose identifiers may have changed since the last time. Those that a
    /// loop or a dispatcher has already are looked after there once more.
    ///
    /// - Parameter sequence: the group's, with which the changes end.
    func takeConcerned(_ changes: Changes, upTo sequence: UInt64) -> [Binding] {
        monitor.with {
            var concerned = due.filter { !$0.isRemoved }
            (due, removedDueCount) = ([], 0)
            for binding in concerned { binding.attendance = .taken }
            defer { consumed = sequence }
            switch changes {
            case .none: return concerned
            case .one(let hash): exact[hash]?.forEach { take($0, into: &concerned) }
            case .many(let hashes): for hash in hashes { exact[hash]?.forEach { take($0, into: &concerned) } }
            case .unknown:
                forEach { take($0, into: &concerned) }
                return concerned
            }
            prefixes.forEach { binding in
                if transport.hasChanged(below: binding.topic, after: consumed) { take(binding, into: &concerned) }
            }
            return concerned
        }
    }

    private func take(_ binding: Binding, into concerned: inout [Binding]) {
        if binding.attendance == .idle {
            binding.feed.skip(to: consumed)
            binding.attendance = .taken
            concerned.append(binding)
        } else {
            makeDue(binding)
        }
    }

    /// Has a listener attended to although nothing has changed, once more if a thread already attends to it.
    func putBack(_ binding: Binding) {
        monitor.with { makeDue(binding) }
        nudge()
    }

    /// Has those looked after whose time has come. Gives when the next one's comes; 0 for at once.
    func putBackWhoseTimeHasCome() -> UInt64 {
        monitor.with {
            nextTime = .max
            guard !timed.isEmpty || !refused.isEmpty else { return due.isEmpty ? nextTime : 0 }
            let now = Clock.now()
            if retryTime <= now { putBackRefused() }
            nextTime = retryTime
            for binding in timed.values where binding.attendance == .idle {
                let time = binding.feed.wakeTime
                if time <= now { makeDue(binding) } else { nextTime = min(nextTime, time) }
            }
            return due.isEmpty ? nextTime : 0
        }
    }

    /// Wakes the thread if a listener's time comes before the one that it sleeps for.
    func heedTime(of binding: Binding) {
        guard binding.feed.isTimed else { return }
        let isEarlier = monitor.with { binding.attendance == .idle && binding.feed.wakeTime < nextTime }
        if isEarlier { nudge() }
    }

    /// Reports to writers what the queue listeners no longer need: idle ones have consumed everything up to a number.
    func noteQueuesConsumed() {
        monitor.with {
            guard !queues.isEmpty, startingCount == 0 else { return }
            let behind = queues.values.lazy.filter {
                $0.feed.isHeldBack || $0.attendance != .idle && $0.attendance != .deaf
            }
            let needless = min(behind.compactMap { $0.feed.queueConsumed }.min() ?? .max, consumed)
            transport.noteQueuesConsumed(needless)
        }
    }

    /// Wakes the wormhole's thread, to look at the table.
    func nudge() { transport.nudge() }

    /// Has all those looked after that may have to be at a time.
    func heedTimed() { monitor.with { timed.values.forEach(makeDue) } }

    // MARK: With the monitor held

    /// Has a listener attended to, once more if a thread already attends to it.
    func makeDue(_ binding: Binding) {
        if binding.isRemoved { return }
        switch binding.attendance {
        case .idle:
            binding.attendance = .due
            due.append(binding)
        case .attended: binding.attendance = .attendedAgain
        default: break
        }
    }

    /// Releases a removed listener, which holds its wormhole. Of those that are due in constant time, all in all: as
    /// soon as half of them have been removed.
    func forgetDue(_ binding: Binding) {
        if binding.attendance == .refused { refused.removeAll { $0 === binding } }
        guard binding.attendance == .due else { return }
        removedDueCount += 1
        guard 2 * removedDueCount > due.count else { return }
        due.removeAll { $0.isRemoved }
        removedDueCount = 0
    }

    /// Has a listener looked after again in a while.
    func refuse(_ binding: Binding, nanoseconds: UInt64) {
        guard !binding.isRemoved else { return }
        binding.attendance = .refused
        refused.append(binding)
        retryTime = min(retryTime, Clock.now() &+ nanoseconds)
        nudge()
    }

    private func putBackRefused() {
        for binding in refused {
            binding.attendance = .idle
            makeDue(binding)
        }
        refused = []
        retryTime = .max
    }
}
