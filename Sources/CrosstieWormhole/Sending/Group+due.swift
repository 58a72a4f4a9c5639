/// Sending due messages: any process that has the group open does it, in the order of times.
extension Group {
    /// Sends the due messages, before this process writes or reads. Messages that cannot be sent are left for later.
    @inline(__always)
    func heedDue(timeout: UInt64) {
        if wakeups.dueTime.pointee.load(ordering: .relaxed) != DueTimes.never || hostMembers != nil {
            heedKnownDue(timeout)
        }
    }

    @inline(never)
    private func heedKnownDue(_ timeout: UInt64) {
        // Only the host's transport knows the messages that others have scheduled.
        if hostMembers != nil, wakeups.isTurn(WakeupsLayout.dueLookOffset, after: 50_000_000) {
            wakeups.forgetDueTime()
        }
        let due = wakeups.dueTime.pointee.load(ordering: .relaxed)
        guard due == DueTimes.unknown || due <= DueTimes.now else { return }
        sendDueOrLater(timeout: timeout)
    }

    /// Sends the due messages. If that fails, it is tried again in a second.
    func sendDueOrLater(timeout: UInt64) {
        do throws(CrosstieError) {
            try sendDue(timeout: timeout)
        } catch {
            guard error.status != .timedOut else { return }
            wakeups.dueTime.pointee.store(DueTimes.now &+ DueRound.retry, ordering: .relaxed)
        }
    }

    private func sendDue(timeout: UInt64) throws(CrosstieError) {
        var round = DueRound()
        var isOver = false
        while !isOver {
            // Sent messages are not found again.
            isOver = try untilReconciled(timeout: timeout) { () throws(CrosstieError) in
                try sendSome(of: &round, timeout)
            }
        }
    }

    /// Sends some of the due messages. True if no more are due; then the wakeups know the next time.
    private func sendSome(of round: inout DueRound, _ timeout: UInt64) throws(CrosstieError) -> Bool {
        try lockWriters(timeout: timeout)
        let found: DueMessages
        do throws(CrosstieError) {
            found = try dueMessages(of: round)
        } catch {
            unlockWriters()
            throw error
        }
        guard let last = found.items.last else {
            defer { unlockWriters() }
            if let rest = found.rest {
                round.start = rest
                return false
            }
            let next = round.refused.isEmpty ? found.next : min(found.next, round.retryTime)
            wakeups.dueTime.pointee.store(next, ordering: .sequentiallyConsistent)
            return true
        }
        wakeups.dueTime.pointee.store(DueTimes.unknown, ordering: .relaxed)
        do throws(CrosstieError) {
            try send(found.items, timeout)
            round.hasSentSome = true
        } catch {
            guard error.isForRoomOfName else { throw error }
            try sendEach(found.items, &round, timeout)
        }
        round.start = last.key.next
        return false
    }

    private func dueMessages(of round: DueRound) throws(CrosstieError) -> DueMessages {
        let snapshot = try store.reading()
        return try snapshot.dueMessages(of: round)
    }

    /// Sends messages in one step. The writers' lock is held, and released.
    private func send(_ items: [DueMessages.Item], _ timeout: UInt64) throws(CrosstieError) {
        let messages = items.compactMap(\.message)
        let changes = messages.compactMap(\.change)
        let outcome = changes.withUnsafeBufferPointer { changes in
            Result { () throws(CrosstieError) in
                let senders = DueMessages.stretches(messages).map { stretch in
                    let some = UnsafeBufferPointer(rebasing: changes[stretch])
                    return DueStretch(
                        changes: some, newest: NewestChanges(some), sender: messages[stretch.lowerBound].sender)
                }
                return try send(items, changes, senders, timeout)
            }
        }
        // They borrow from these.
        withExtendedLifetime(messages) {}
        try outcome.get()
    }

    private func send(
        _ items: [DueMessages.Item], _ changes: UnsafeBufferPointer<Change>, _ stretches: [DueStretch],
        _ timeout: UInt64
    ) throws(CrosstieError) {
        let room = stretches.compactMap { self.room(for: $0.changes, $0.sender) }.reduce(0, &+)
        _ = try transactLockedSeldom(
            count: changes.count, timeout: timeout, room: room, identifier: { changes[$0].identifier },
            listeners: {
                stretches.reduce(into: MemberMask()) { $0.formUnion(listeners(of: $1.changes, $1.newest)) }
            }
        ) { transaction, first throws(CrosstieError) in
            for item in items {
                guard try transaction.removeScheduled(item.key) else { throw Group.notScheduled }
            }
            var first = first
            for stretch in stretches {
                try apply(stretch.changes, stretch.newest, from: stretch.sender, first, to: transaction)
                first &+= UInt64(stretch.changes.count)
            }
        }
    }

    /// Sends messages one by one, of which some find no room in a durable consumer. Those that are due later under
    /// their identifiers wait with them: they would overtake them.
    private func sendEach(
        _ items: [DueMessages.Item], _ round: inout DueRound, _ timeout: UInt64
    ) throws(CrosstieError) {
        for item in items where !round.refuses(item.message) {
            do throws(CrosstieError) {
                try lockWriters(timeout: timeout)
                try send([item], timeout)
                round.hasSentSome = true
            } catch {
                // If it is not found, another process has sent or cancelled it meanwhile.
                guard error.isForRoomOfName || error.status == .notFound else { throw error }
                if error.status != .notFound, let message = item.message {
                    round.refused.insert(Array(message.identifier))
                }
            }
        }
    }

    private static var notScheduled: CrosstieError { CrosstieError(.notFound, "the message is not scheduled any more") }
}

extension CrosstieError {
    /// Whether a durable consumer has no room that refuses more, or has its senders wait; *limitExceeded* where it never takes so much
    /// at a time.
    fileprivate var isForRoomOfName: Bool { status == .queueFull || status == .pending || status == .limitExceeded }
}

extension Group {
    /// Changes of one sender, which are written together.
    private struct DueStretch {
        let changes: UnsafeBufferPointer<Change>
        let newest: NewestChanges
        let sender: Sender
    }
}

extension StoreTransaction {
    fileprivate func dueMessages(of round: DueRound) throws(CrosstieError) -> DueMessages {
        var found = DueMessages()
        var (size, looks) = (0, 0)
        try scanSchedule(from: round.start) { key throws(CrosstieError) in
            guard key.due <= round.time else {
                found.next = key.due
                return .stop
            }
            let isEnough = found.items.count == DueMessages.maximumCount || size >= DueMessages.maximumSize
            guard !isEnough, looks < DueMessages.longestLook else {
                found.rest = key.bytes
                return .stop
            }
            looks += 1
            let message = try scheduled(key)
            size += message?.payload.count ?? 0
            if !round.refuses(message) { found.items.append(DueMessages.Item(key: key, message: message)) }
            return .next
        }
        return found
    }
}
