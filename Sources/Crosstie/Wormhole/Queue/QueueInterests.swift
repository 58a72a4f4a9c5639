/// Which topics the queue listeners of one opening want, each entered in the store once.
final class QueueInterests {
    private let group: Group
    private let slot: Int
    private let timeout: UInt64
    private let lock = Lock()
    private var counts: [Topic: Int] = [:]

    init(group: Group, slot: Int, timeout: UInt64) {
        self.group = group
        self.slot = slot
        self.timeout = timeout
    }

    deinit { lock.free() }

    /// Gives where a listener begins, as ``Group/want(_:fromOldest:slot:timeout:)``.
    func add(_ topic: Topic, fromOldest: Bool) throws(CrosstieError) -> (heard: UInt64, logged: UInt64) {
        try lock.with { () throws(CrosstieError) in
            let begin = try group.want(topic, fromOldest: fromOldest, slot: slot, timeout: timeout)
            counts[topic, default: 0] += 1
            return begin
        }
    }

    func remove(_ topic: Topic) {
        lock.with {
            let count = (counts[topic] ?? 0) - 1
            counts[topic] = count > 0 ? count : nil
            // Should another process be stopped in the middle of writing, it is noticed that nobody wants it when the
            // wormhole closes.
            if count <= 0 { try? group.wantNoMore(topic, slot: slot, timeout: timeout) }
        }
    }
}
