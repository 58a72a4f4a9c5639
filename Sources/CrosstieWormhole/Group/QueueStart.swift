/// The position at which a queue begins, or to which a durable consumer is moved.
public enum QueueStart: Sendable, Hashable {
    /// With the next message.
    case next
    /// With the oldest message that is kept, for any consumer.
    case oldest
    /// With the first one that is kept, of this number or a higher one; with the next one if there is none yet.
    case sequence(UInt64)
    /// With the first one that is kept and was not sent before this time: nanoseconds since 1970 UTC, by the senders'
    /// clocks.
    case time(Int64)
}

extension Group {
    /// The number after which a queue begins; the largest number if that is the newest one. No lock is held, however
    /// long the log is.
    func position(of start: QueueStart) throws(CrosstieError) -> UInt64 {
        switch start {
        case .next: .max
        case .oldest: 0
        case .sequence(let sequence): sequence > 0 ? sequence &- 1 : 0
        case .time(let time): try position(of: time)
        }
    }

    /// The number before the first queued message that was not sent before a time; the newest one if there is none. The
    /// senders' clocks may have been set back, so each block is looked at; some in each reading.
    private func position(of time: Int64) throws(CrosstieError) -> UInt64 {
        var position: UInt64 = 0
        var isFound = false
        while !isFound {
            let step = try read { snapshot throws(CrosstieError) in try snapshot.step(towards: time, from: position) }
            (position, isFound) = (step.position, step.isOver)
        }
        return position
    }
}

extension StoreTransaction {
    /// Looks at some blocks after a number. Gives the number up to which there is nothing of what is looked for, and
    /// whether what follows is, or nothing does.
    fileprivate func step(
        towards time: Int64, from position: UInt64
    ) throws(CrosstieError) -> (position: UInt64, isOver: Bool) {
        var (reached, left, isOver) = (position, 1 << 13, true)
        var isFound = false
        try scanBlocks(after: position) { last, block throws(CrosstieError) in
            if let block, block.time >= time {
                isFound = true
                return .stop
            }
            reached = last
            left -= 1
            isOver = left > 0
            return isOver ? .next : .stop
        }
        if isFound || !isOver { return (reached, isFound) }
        return (try meta().sequence(ofState: number), true)
    }
}
