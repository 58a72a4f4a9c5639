/// Attending to listeners: on the wormhole's thread, or by a job in a loop or a dispatcher. A listener has one job at
/// most, so that little waits in a loop that is not dispatched, and its calls never overlap.
extension ListenerTable {
    /// Looks after a listener that was taken, or leaves that to its loop or dispatcher. Returns the number of messages
    /// delivered here.
    func lookAfter(_ binding: Binding) -> Int {
        let executor = monitor.with { () -> ListenerExecutor in
            guard binding.executor.isElsewhere, !binding.isRemoved else { return .wormhole }
            binding.attendance = .queued
            return binding.executor
        }
        guard executor.isElsewhere else { return attend(binding) ?? 0 }
        queue(binding, on: executor)
        return 0
    }

    /// Looks after a listener whose job runs. False when it has been removed.
    func attendElsewhere(_ binding: Binding) -> Bool {
        guard attend(binding) != nil else { return false }
        if binding.feed.queueConsumed != nil { noteQueuesConsumed() }
        heedTime(of: binding)
        return true
    }

    /// Collects the next messages of a listener, and delivers them. The listener is not ended meanwhile. Returns their
    /// number; nil if the listener has been removed.
    private func attend(_ binding: Binding) -> Int? {
        let mayRun = monitor.with {
            guard !binding.isRemoved else { return false }
            binding.attendance = .attended
            return true
        }
        guard mayRun else { return nil }
        do throws(CrosstieError) {
            var batch = Batch()
            try binding.feed.collect(into: &batch)
            // Collected messages count as delivered, however long the listener takes.
            if binding.feed.queueConsumed != nil { noteQueuesConsumed() }
            for message in batch.messages { call(binding, message) }
            leave(binding, for: batch.hasMore ? .due : .idle)
            return batch.messages.count
        } catch {
            leave(binding, for: .refused, pause: error.isOfReach ? 50_000_000 : 1_000_000_000)
            return 0
        }
    }

    /// Calls a listener that is attended, unless it was removed.
    private func call(_ binding: Binding, _ message: Message) {
        if binding.isRemoved { return }
        ThreadSlot.current.withCallback(isTrusted: true) { binding.deliver(message) }
    }

    /// Ends attending to a listener, with more messages to deliver or not, or after a failure.
    /// - Parameter pause: nanoseconds until a failure is tried again.
    private func leave(_ binding: Binding, for next: Attendance, pause: UInt64 = 1_000_000_000) {
        var executor: ListenerExecutor?
        let endsNow = monitor.with {
            let next = next == .idle && binding.attendance == .attendedAgain ? .due : next
            binding.attendance = .idle
            monitor.notifyAll()
            guard !binding.isRemoved else { return binding.endsAfterCall }
            switch next {
            case .refused: refuse(binding, nanoseconds: pause)
            case .due where binding.executor.isElsewhere:
                binding.attendance = .queued
                executor = binding.executor
            case .due: makeDue(binding)
            default: break
            }
            return false
        }
        if endsNow { binding.finish() }
        if let executor { queue(binding, on: executor) }
    }

    // MARK: Elsewhere

    /// Leaves a listener to its loop or dispatcher. When there is no room it is tried again soon.
    private func queue(_ binding: Binding, on executor: ListenerExecutor) {
        switch (executor.add(binding), executor) {
        case (.ok, _): break
        case (.closed, .loop): bringHome(binding)
        case (.closed, _): deafen(binding)
        default: monitor.with { refuse(binding, nanoseconds: 10_000_000) }
        }
    }

    /// The loop has ended that should have outlived the listener: it is called on the wormhole's thread from now on.
    private func bringHome(_ binding: Binding) {
        monitor.with {
            binding.executor = .wormhole
            binding.attendance = .idle
            makeDue(binding)
        }
        nudge()
    }

    /// The bus has closed: the listener gets no more messages, and none are kept for it.
    func deafen(_ binding: Binding) {
        let isBound = monitor.with {
            guard !binding.isRemoved else { return false }
            binding.attendance = .attended
            return true
        }
        guard isBound else { return }
        binding.endFeed()
        let endsNow = monitor.with {
            binding.attendance = .deaf
            monitor.notifyAll()
            return binding.endsAfterCall
        }
        if endsNow { binding.finish() }
    }
}

extension CrosstieError {
    /// Whether a host's transport could not be reached, or its answer was lost: the next try may succeed at once.
    fileprivate var isOfReach: Bool { status == .unavailable || status == .uncertain }
}
