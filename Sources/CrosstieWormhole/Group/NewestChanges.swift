/// The changes of a step that are the last ones of their kind under their identifier. Of those before, only queued
/// copies remain after the step.
struct NewestChanges {
    private let isNewest: [Bool]

    init(_ changes: UnsafeBufferPointer<Change>) {
        guard changes.count > 1 else {
            isNewest = []
            return
        }
        var isNewest = [Bool](repeating: true, count: changes.count)
        // Slots by hash, at most half of them taken, each with the index of a change; -1 in a free one.
        var positions = [Int](repeating: -1, count: NewestChanges.roundUp(2 * changes.count))
        for index in changes.indices.reversed() {
            var position = Int(truncatingIfNeeded: changes[index].hash) & (positions.count - 1)
            while positions[position] >= 0, !changes[positions[position]].supersedes(changes[index]) {
                position = (position + 1) & (positions.count - 1)
            }
            if positions[position] >= 0 { isNewest[index] = false } else { positions[position] = index }
        }
        self.isNewest = isNewest
    }

    @inline(__always)
    func contains(_ index: Int) -> Bool { isNewest.isEmpty || isNewest[index] }

    private static func roundUp(_ count: Int) -> Int { 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount) }
}

extension Change {
    /// Whether it leaves nothing of an earlier change.
    @inline(__always)
    fileprivate func supersedes(_ earlier: Change) -> Bool {
        guard let identifier, let other = earlier.identifier, kind == earlier.kind else { return false }
        return identifier.hash == other.hash && equalBytes(identifier.bytes, other.bytes)
    }
}
