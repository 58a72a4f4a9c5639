/// The questions that do not change it.
extension CursorState {
    /// The number of messages that may still be claimed.
    var room: Int { max(CursorState.maximumOutstanding - outstanding.count, 0) }

    var isFull: Bool { room == 0 }

    /// Messages below this number are of no use to the name any more, but for those that wait for their next try.
    var floor: UInt64 { min(outstanding.first?.sequence ?? .max, next &+ 1) }

    /// Whether a message that matches the topic is still to be delivered, or may have to be redelivered. Those that
    /// wait for their next try are not known here.
    func needs(_ sequence: UInt64) -> Bool { sequence > next || index(of: sequence) != nil }

    /// Whether it may need messages up to ``next``.
    var isBehind: Bool { !outstanding.isEmpty || hasSetAside }

    /// Whether something waits for its next try, or is a dead letter.
    var hasSetAside: Bool { waitingCount > 0 || tally.deadCount > 0 }

    /// Whether a message is to be redelivered at once.
    var hasGivenBack: Bool { outstanding.contains { $0.owner == CursorState.nobody } }

    /// Whether an owner that reports none may report missed messages.
    func hasUnreported(for owner: UInt64) -> Bool {
        missed > 0 && (missedOwner == CursorState.nobody || missedOwner == owner)
    }

    /// The owners of outstanding messages and of running reports.
    var owners: Set<UInt64> { Set(outstanding.map(\.owner) + [missedOwner]).subtracting([CursorState.nobody]) }

    func index(of sequence: UInt64) -> Int? {
        let position = position(of: sequence)
        return position < outstanding.count && outstanding[position].sequence == sequence ? position : nil
    }

    /// The index of a message, or the one for inserting it.
    func position(of sequence: UInt64) -> Int {
        var (low, high) = (0, outstanding.count)
        while low < high {
            let middle = (low + high) / 2
            if outstanding[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
