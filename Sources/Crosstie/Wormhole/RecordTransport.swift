internal import Glibc
import Synchronization

/// One opening of a group that keeps its messages as records.
final class RecordTransport: Transport {
    let group: Group
    let slot: Int
    let sender: Sender
    let timeout: UInt64
    private let queueInterests: QueueInterests
    // Guarded by the listeners' table.
    /// How many listeners set each bucket of the bells.
    private var bucketUses = [Int32](repeating: 0, count: BellsLayout.bucketCount)
    private var prefixUses: Int32 = 0

    init(_ place: GroupPlace, name: [UInt8], options: WormholeOptions) throws(CrosstieError) {
        let registry = GroupRegistry.current
        group = try registry.open(place, options: options)
        slot = try registry.claimSlot(in: group, name: name, timeout: options.timeout)
        sender = Sender(pid: getpid(), name: name)
        timeout = options.timeout
        queueInterests = QueueInterests(group: group, slot: slot, timeout: timeout)
    }

    /// The number of this opening of the group.
    var openingID: UInt64 { group.openingID(slot) }

    @inline(__always)
    var isInside: Bool { group.openings != nil && ThreadSlot.current.isInTransport }

    func close() { GroupRegistry.current.close(group, slot: slot, timeout: timeout) }

    // MARK: Messages

    func write(_ changes: UnsafeBufferPointer<Change>) throws(CrosstieError) -> Receipt {
        try group.write(changes, from: sender, timeout: timeout)
    }

    func countProcesses(_ receipt: Receipt) -> UInt32 { group.countProcesses(receipt.rung) }

    func message(_ identifier: Identifier) throws(CrosstieError) -> Message? { try group.message(identifier) }

    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] { try group.identifiers(topic) }

    func participants() throws(CrosstieError) -> [Wormhole.Participant] {
        try group.lookForMembers(timeout: timeout)
        return group.participants(seenFrom: slot)
    }

    // MARK: Listeners

    func feed(_ topic: Topic, _ options: ListenOptions) -> any Feed {
        switch options.delivery {
        case .state: StateFeed(topic, of: group, firstFire: options.firstFire)
        case .queue: QueueFeed(topic, of: group, interests: queueInterests, options: options)
        case .durable:
            DurableFeed(
                CursorKey(topic, name: options.name), of: group, owner: openingID, options: options, timeout: timeout)
        }
    }

    func memberFeed(_ options: ListenOptions) -> any Feed {
        MemberFeed(of: group, slot: slot, firstFire: options.firstFire)
    }

    func forget(_ key: CursorKey) throws(CrosstieError) -> Bool { try group.forget(key, timeout: timeout) }

    func listen(to topic: Topic, _ isListening: Bool) {
        let step: Int32 = isListening ? 1 : -1
        let bucket = Bells.bucketIndex(topic.hash)
        bucketUses[bucket] += step
        if bucketUses[bucket] == (isListening ? 1 : 0) {
            group.bells.setBit(slot, in: Bells.bucketOffset(topic.hash), isListening)
        }
        guard topic.isPrefix else { return }
        prefixUses += step
        group.bells.setBit(slot, in: BellsLayout.prefixMaskOffset, prefixUses > 0)
    }

    func noteQueuesHeard(_ sequence: UInt64) {
        group.bells.queuesHeard(slot).pointee.store(sequence, ordering: .releasing)
    }

    // MARK: Their thread

    func nudge() { group.bells.nudge(slot) }

    func mark() -> WakeMark {
        let watch = group.bells.writerWatch
        return WakeMark(bell: group.bells.bell(slot).pointee.load(ordering: .sequentiallyConsistent), watch: watch)
    }

    func isRungSoon(since mark: WakeMark, hash: UInt64) -> Bool {
        group.bells.ringsSoon(slot: slot, bell: mark.bell, hash: hash)
    }

    func sleep(since mark: WakeMark, until time: UInt64) {
        group.bells.sleep(slot: slot, bell: mark.bell, watch: mark.watch, until: min(time, group.nextLook))
    }

    func sequence() throws(CrosstieError) -> UInt64 { try group.sequence() }

    func changes(after heard: UInt64, upTo sequence: UInt64) -> Changes {
        guard sequence > heard else { return .none }
        guard heard != 0, sequence &- heard <= BellsLayout.ringCount / 2 else { return .unknown }
        var changes = Changes.none
        for change in heard + 1...sequence {
            guard let hash = group.bells.hash(ofChange: change), hash != 0 else { return .unknown }
            changes.insert(hash)
        }
        return changes
    }

    var givenBackCount: UInt64 { group.bells.givenBack.pointee.load(ordering: .acquiring) }

    func tend() { group.tend() }
}
