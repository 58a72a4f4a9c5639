/// Looks for the first queued message of a topic, among so many as may be looked at.
struct OldestLook {
    let topic: Topic
    /// The time at which it was sent, or the last examined one; nil for none.
    var time: Int64?
    /// Up to this number it has come.
    var reached: UInt64 = 0
    /// Whether it has been found, or is not there.
    var isOver = false

    /// So many messages of others are looked at in one go.
    private static var longest: Int { 1 << 13 }

    mutating func read(
        _ snapshot: borrowing StoreTransaction, after number: UInt64, upTo end: UInt64
    ) throws(CrosstieError) {
        var (left, isFound, isCut) = (OldestLook.longest, false, false)
        try snapshot.scanLog(after: number) { sequence, record in
            isCut = sequence > end || left == 0
            if isCut { return .stop }
            left -= 1
            reached = sequence
            guard let record else { return .next }
            time = record.stamp.time
            isFound = topic.covers(record)
            return isFound ? .stop : .next
        }
        isOver = isFound || !isCut
        if !isFound, isOver { time = nil }
    }
}
