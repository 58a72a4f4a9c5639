/// The counts of the log with its newest block: the difference of two counts is the amount between them.
struct LogTail: Equatable {
    /// The number of messages that were appended since the log was last empty.
    var index: UInt64 = 0
    /// The bytes of their blocks.
    var total: UInt64 = 0
}

/// For messages counted by topic, the total is that of the bytes of their values.
extension LogTail {

    mutating func add(_ other: LogTail) {
        index &+= other.index
        total &+= other.total
    }

    /// The amount between two counts, of which this one is the later; nothing if damage has made it the earlier.
    func since(_ earlier: LogTail) -> LogTail {
        let (index, total) = (self.index &- earlier.index, self.total &- earlier.total)
        guard index < 1 << 62 else { return LogTail() }
        return LogTail(index: index, total: index > 0 && total < 1 << 62 ? total : 0)
    }

    static func &- (left: LogTail, right: LogTail) -> LogTail {
        LogTail(index: left.index &- right.index, total: left.total &- right.total)
    }
}
