import Synchronization

/// The topics that the queue listeners of one member need, each registered in the store once.
final class QueueInterests {
    private let group: Group
    private let memberSlot: MemberSlot
    private let timeout: UInt64
    private let lock = Lock()
    private var counts: [Topic: Int] = [:]
    private let entries = Atomic(0)

    init(group: Group, memberSlot: MemberSlot, timeout: UInt64) {
        self.group = group
        self.memberSlot = memberSlot
        self.timeout = timeout
    }

    deinit { lock.free() }

    /// Returns the listener's beginning, as ``Group/want(_:from:slot:timeout:)``.
    func add(_ topic: Topic, from start: QueueStart) throws(CrosstieError) -> (consumed: UInt64, logged: UInt64) {
        try lock.with { () throws(CrosstieError) in
            let begin = try group.want(topic, from: start, slot: memberSlot.slot, timeout: timeout)
            counts[topic, default: 0] += 1
            return begin
        }
    }

    /// Enters every topic once more.
    func enterAgain() {
        lock.with {
            for topic in counts.keys {
                _ = try? group.want(topic, from: .next, slot: memberSlot.slot, timeout: timeout)
            }
        }
        entries.wrappingAdd(1, ordering: .releasing)
    }

    /// The number of times that every topic has been entered once more.
    var entryCount: Int { entries.load(ordering: .acquiring) }

    func remove(_ topic: Topic) {
        lock.with {
            let count = (counts[topic] ?? 0) - 1
            counts[topic] = count > 0 ? count : nil
            // If another process is stopped in the middle of writing, the interest is removed when the wormhole closes.
            if count <= 0 { try? group.wantNoMore(topic, slot: memberSlot.slot, timeout: timeout) }
        }
    }
}
