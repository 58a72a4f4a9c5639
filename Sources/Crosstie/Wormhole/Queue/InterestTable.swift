/// Who wants every message of what: found by the hashes of identifiers and prefixes.
///
/// Two topics of one hash count as one. That costs a needless record now and then, which readers pass over.
struct InterestTable {
    struct Interest {
        let topic: Topic
        let slots: SlotMask
        let isDurable: Bool
    }

    private(set) var interests: [Interest] = []
    private var index = HashIndex()
    private var hasPrefixes = false

    var isEmpty: Bool { interests.isEmpty }

    mutating func add(_ topic: Topic, _ record: InterestRecord) {
        index.insert(topic.hash, interests.count)
        interests.append(Interest(topic: topic, slots: record.slots, isDurable: record.durableCount > 0))
        if topic.isPrefix { hasPrefixes = true }
    }

    /// Calls `body` with the position of each interest in an identifier; of all of them for nil, which stands for
    /// everything.
    @inline(__always)
    func forEach(in identifier: Identifier?, _ body: (Int) -> Void) {
        guard let identifier else {
            for position in interests.indices { body(position) }
            return
        }
        if let position = index.find(identifier.hash) { body(position) }
        guard hasPrefixes else { return }
        identifier.forEachPrefixHash { hash in
            if let position = index.find(hash) { body(position) }
        }
    }
}

/// Numbers by hashes: open addressing, at most half full.
private struct HashIndex {
    private var hashes = [UInt64](repeating: 0, count: 8)
    private var numbers = [Int](repeating: 0, count: 8)
    private var count = 0

    /// - Parameter hash: not 0, and not there yet.
    mutating func insert(_ hash: UInt64, _ number: Int) {
        if 2 * count >= hashes.count { grow() }
        let place = place(of: hash)
        hashes[place] = hash
        numbers[place] = number
        count += 1
    }

    @inline(__always)
    func find(_ hash: UInt64) -> Int? {
        let place = place(of: hash)
        return hashes[place] == hash ? numbers[place] : nil
    }

    /// Where a hash stands, or would.
    @inline(__always)
    private func place(of hash: UInt64) -> Int {
        let mask = hashes.count &- 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while hashes[place] != 0, hashes[place] != hash { place = (place &+ 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = (hashes, numbers)
        hashes = [UInt64](repeating: 0, count: 2 * old.0.count)
        numbers = [Int](repeating: 0, count: hashes.count)
        count = 0
        for (hash, number) in zip(old.0, old.1) where hash != 0 { insert(hash, number) }
    }
}
