/// The interests in every message, found by the hashes of identifiers and prefixes. Another topic of the same hash
/// costs a needless record now and then, which readers pass over. Filled once, when it is read.
final class InterestTable {
    struct Interest {
        let topic: Topic
        let slots: MemberMask
    }

    private(set) var interests: [Interest] = []
    /// The durable consumers that have limits.
    private(set) var limited: [LimitedConsumer] = []
    private var index = HashIndex()
    private var hasPrefixes = false
    /// The number of durable consumers.
    private(set) var durableCount = 0
    /// By position: which of the names with limits are of this topic. Empty while there are none.
    private var limitsOf: [[Int]] = []

    var isEmpty: Bool { interests.isEmpty }

    @inline(__always)
    var hasLimits: Bool { !limited.isEmpty }

    func add(_ topic: Topic, _ record: InterestRecord) {
        index.insert(topic.hash, interests.count)
        interests.append(Interest(topic: topic, slots: record.slots))
        if topic.isPrefix { hasPrefixes = true }
        durableCount &+= Int(record.durableCount)
    }

    /// Adds a name with limits; all interests have been added.
    func add(_ name: LimitedConsumer) {
        if limitsOf.isEmpty { limitsOf = [[Int]](repeating: [], count: interests.count) }
        forEach(of: name.topic) { position in limitsOf[position].append(limited.count) }
        limited.append(name)
    }

    /// Calls `body` with the index in ``limited`` of each name that has the topic of a position.
    @inline(__always)
    func forEachLimit(_ position: Int, _ body: (Int) -> Void) {
        guard position < limitsOf.count else { return }
        for index in limitsOf[position] { body(index) }
    }

    func contains(_ topic: Topic) -> Bool {
        var isKnown = false
        forEach(of: topic) { _ in isKnown = true }
        return isKnown
    }

    /// Calls `body` with the position of the interest in a topic, if there is one.
    func forEach(of topic: Topic, _ body: (Int) -> Void) {
        index.forEach(of: topic.hash) { position in
            if interests[position].topic == topic { body(position) }
        }
    }

    /// Calls `body` with the position of each interest in an identifier; of all of them for nil, which stands for
    /// everything.
    @inline(__always)
    func forEach(in identifier: Identifier?, _ body: (Int) -> Void) {
        guard let identifier else {
            for position in interests.indices { body(position) }
            return
        }
        index.forEach(of: identifier.hash, body)
        guard hasPrefixes else { return }
        identifier.forEachPrefixHash { index.forEach(of: $0, body) }
    }
}
