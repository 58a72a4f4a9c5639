internal import Glibc
import Synchronization

/// A member's connection to a group that keeps its messages as records.
final class RecordTransport: Transport {
    let group: Group
    let memberSlot: MemberSlot
    var slot: Int { memberSlot.slot }
    let sender: Sender
    let timeout: UInt64
    let queueInterests: QueueInterests
    let reporters = MissedReporters()
    /// Guarded by the writers' lock.
    private let sentTokens: SentTokens
    /// The slot's description of this member.
    let member: Member?
    // Guarded by the listeners' table.
    /// The number of listeners for each bucket of the wakeups.
    var bucketUses = [Int32](repeating: 0, count: WakeupsLayout.bucketCount)
    var prefixUses: Int32 = 0
    /// The number up to which its thread looked when it last waited for a writer. For that thread alone.
    var awaited: UInt64 = 0
    /// The newest number at its thread's last look. For that thread alone.
    var seenSequence: UInt64 = 0
    /// The number of the group's moves to other files when this member was last registered in the wakeups, and its slot
    /// then. Used by the listening thread.
    var seenMoves: UInt64
    var seenSlot: Int
    let isClosing = Atomic(false)
    /// When a call looks after this member the next time, by the coarse clock.
    let nextCheck: Atomic<UInt64>
    /// Whether the thread of its listeners does it.
    let isTended = Atomic(false)

    init(_ location: GroupLocation, name: [UInt8], options: WormholeOptions) throws(CrosstieError) {
        let slot = ThreadSlot.current
        let outer = slot.callDeadline
        if case .host = location { slot.callDeadline = slot.end(of: options.timeoutNanoseconds) }
        defer { slot.callDeadline = outer }
        let registry = GroupRegistry.current
        group = try registry.open(location, options: options)
        memberSlot = try registry.claimMemberSlot(in: group, name: name, timeout: options.timeoutNanoseconds)
        sender = Sender(pid: getpid(), name: name)
        sentTokens = group.hostMembers?.steps.sent ?? SentTokens()
        group.logs.add(options.hostLog)
        timeout = options.timeoutNanoseconds
        member = group.wakeups.member(memberSlot.slot)
        queueInterests = QueueInterests(group: group, memberSlot: memberSlot, timeout: timeout)
        seenMoves = group.moveCount.load(ordering: .relaxed)
        seenSlot = memberSlot.slot
        nextCheck = Atomic(group.hostMembers == nil ? 0 : .max)
        // Consumers may have expired while no process had the group open.
        try? group.expireNames(timeout: 0)
    }

    // MARK: Options

    var sendDefaults: SendDefaults { group.limits.sending }

    var hostTimeout: UInt64? { group.hostMembers?.transport.timeout }

    var abilities: Wormhole.Abilities {
        var abilities = Wormhole.Abilities.ofStores
        if case .directory = group.location { abilities.insert(.joiningBuses) }
        if group.wakeups.flags & StoreFlags.system != 0 { abilities.insert(.survivingPower) }
        return abilities
    }

    /// The number of this member.
    var memberID: UInt64 { memberSlot.memberID }

    func close() {
        reporters.close()
        endTimer()
        let outer = hostTimeout.map(HostCalls.begin)
        defer { if let outer { HostCalls.end(outer) } }
        GroupRegistry.current.close(group, memberSlot, timeout: timeout)
    }

    // MARK: Messages

    func write(_ changes: UnsafeBufferPointer<Change>) throws(CrosstieError) -> Receipt {
        try checkIfDue()
        group.heedDue(timeout: min(timeout, 50_000_000))
        do throws(CrosstieError) {
            return try group.write(changes, from: sender, timeout: timeout)
        } catch {
            guard error.status == .pending else { throw error }
        }
        return try writeWhenThereIsRoom(changes)
    }

    /// Waits for room, too: a full durable consumer makes its senders wait.
    @inline(never)
    private func writeWhenThereIsRoom(_ changes: UnsafeBufferPointer<Change>) throws(CrosstieError) -> Receipt {
        var wait = RoomWait(group, timeout: timeout)
        while true {
            wait.begin()
            do throws(CrosstieError) {
                return try group.write(changes, from: sender, timeout: timeout)
            } catch {
                guard error.status == .pending else { throw error }
                try wait.sleep(error, isClosing: isClosing)
            }
        }
    }

    func write(_ changes: [Change], _ token: StepToken) throws(CrosstieError) -> Receipt {
        try checkIfDue()
        group.heedDue(timeout: min(timeout, 50_000_000))
        let note = TokenNote(token, sentTokens)
        var wait = RoomWait(group, timeout: timeout)
        while true {
            wait.begin()
            do throws(CrosstieError) {
                return try group.write(changes, note, from: sender, timeout: timeout)
            } catch {
                guard error.status == .pending else { throw error }
                try wait.sleep(error, isClosing: isClosing)
            }
        }
    }

    func beginClosing() {
        isClosing.store(true, ordering: .sequentiallyConsistent)
        group.wakeups.notifyRoom()
    }

    func countProcesses(_ receipt: Receipt) -> UInt32 { group.countProcesses(receipt.notified) }

    @inline(__always)
    func message(_ identifier: Identifier) throws(CrosstieError) -> Message? {
        try checkNowAndThen()
        group.heedDue(timeout: RecordTransport.readersPatience)
        return try group.message(identifier)
    }

    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] {
        try checkNowAndThen()
        group.heedDue(timeout: RecordTransport.readersPatience)
        return try group.identifiers(topic)
    }

    /// Nanoseconds that a reader waits for the writers' lock when a scheduled message is due.
    private static var readersPatience: UInt64 { 2_000_000 }

    func schedule(_ changes: [Change], until due: UInt64, _ token: StepToken?) throws(CrosstieError) -> UInt64 {
        try checkIfDue()
        let note = token.map { TokenNote($0, sentTokens) }
        return try group.schedule(changes, until: due, note, from: sender, timeout: timeout)
    }

    func scheduled(_ topic: Topic) throws(CrosstieError) -> [Wormhole.Scheduled] {
        try checkNowAndThen()
        group.heedDue(timeout: RecordTransport.readersPatience)
        return try group.scheduled(topic)
    }

    func cancelScheduled(_ number: UInt64) throws(CrosstieError) -> Bool {
        try checkIfDue()
        return try group.cancelScheduled(number, timeout: timeout)
    }

    func members() throws(CrosstieError) -> [Wormhole.Member] {
        try checkIfDue()
        try group.lookForMembers(timeout: timeout)
        return group.members(seenFrom: slot)
    }

    // MARK: Listeners

    func feed(_ topic: Topic, _ options: ListenOptions) -> any Feed {
        switch options.delivery {
        case .state where topic.isPrefix: PrefixFeed(topic, of: group, initialDelivery: options.initialDelivery)
        case .state: StateFeed(topic, of: group, initialDelivery: options.initialDelivery)
        case .queue: QueueFeed(topic, of: group, interests: queueInterests, options: options)
        case .durable:
            DurableFeed(
                CursorKey(topic, name: options.name), of: group, memberSlot: memberSlot, reporters: reporters,
                options: options,
                timeout: timeout)
        }
    }

    func memberFeed(_ options: ListenOptions) -> any Feed {
        MemberFeed(of: group, memberSlot: memberSlot, initialDelivery: options.initialDelivery)
    }

    func declare(
        _ key: CursorKey, _ options: DurableOptions, fromOldest: Bool, mayChange: Bool
    ) throws(CrosstieError) {
        try group.declare(key, options, fromOldest: fromOldest, mayChange: mayChange, timeout: timeout)
    }

    func durables() throws(CrosstieError) -> [Wormhole.Durable] {
        try checkIfDue()
        return try group.durables()
    }

    func seek(_ key: CursorKey, to start: QueueStart) throws(CrosstieError) -> Bool {
        try group.seek(key, to: start, timeout: timeout)
    }

    func forget(_ key: CursorKey) throws(CrosstieError) -> Bool { try group.forget(key, timeout: timeout) }

    func deadLetters(of key: CursorKey, after: UInt64, limit: Int) throws(CrosstieError) -> [Wormhole.DeadLetter] {
        try checkNowAndThen()
        return try group.deadLetters(of: key, after: after, limit: limit)
    }

    func deadLetter(_ sequence: UInt64, of key: CursorKey) throws(CrosstieError) -> Message? {
        try checkNowAndThen()
        return try group.deadLetter(sequence, of: key)
    }

    func resolveDeadLetters(
        _ action: DeadLetterAction, _ sequence: UInt64?, of key: CursorKey, count: inout UInt64
    ) throws(CrosstieError) {
        try group.resolveDeadLetters(action, sequence, of: key, timeout: timeout, count: &count)
    }

    func listen(to topic: Topic, _ isListening: Bool) {
        // From here on the listeners' thread takes a lost slot again, because it can register them there.
        if isListening { isTended.store(true, ordering: .relaxed) }
        let step: Int32 = isListening ? 1 : -1
        let bucket = Wakeups.bucketIndex(topic.hash)
        bucketUses[bucket] += step
        if bucketUses[bucket] == (isListening ? 1 : 0) {
            group.wakeups.setBit(slot, in: Wakeups.bucketOffset(topic.hash), isListening)
        }
        guard topic.isPrefix else { return }
        prefixUses += step
        group.wakeups.setBit(slot, in: WakeupsLayout.prefixMaskOffset, prefixUses > 0)
    }

    func noteQueuesConsumed(_ sequence: UInt64) {
        group.wakeups.queuesConsumed(slot).pointee.store(sequence, ordering: .releasing)
    }
}
