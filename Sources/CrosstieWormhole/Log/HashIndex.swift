/// Numbers by hashes, of which several may be equal: open addressing, at most half full.
struct HashIndex {
    private var hashes = [UInt64](repeating: 0, count: 8)
    private var numbers = [Int](repeating: 0, count: 8)
    private var count = 0

    /// - Parameter hash: not 0.
    mutating func insert(_ hash: UInt64, _ number: Int) {
        if 2 * count >= hashes.count { grow() }
        let mask = hashes.count &- 1
        var position = Int(truncatingIfNeeded: hash) & mask
        while hashes[position] != 0 { position = (position &+ 1) & mask }
        hashes[position] = hash
        numbers[position] = number
        count += 1
    }

    @inline(__always)
    func forEach(of hash: UInt64, _ body: (Int) -> Void) {
        let mask = hashes.count &- 1
        var position = Int(truncatingIfNeeded: hash) & mask
        while hashes[position] != 0 {
            if hashes[position] == hash { body(numbers[position]) }
            position = (position &+ 1) & mask
        }
    }

    private mutating func grow() {
        let old = (hashes, numbers)
        hashes = [UInt64](repeating: 0, count: 2 * old.0.count)
        numbers = [Int](repeating: 0, count: hashes.count)
        count = 0
        for (hash, number) in zip(old.0, old.1) where hash != 0 { insert(hash, number) }
    }
}
