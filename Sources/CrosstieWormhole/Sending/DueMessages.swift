/// Some of the due messages.
struct DueMessages {
    struct Item {
        let key: ScheduleKey
        /// Nil if it cannot be read: it is only removed.
        let message: ScheduledMessage?
    }

    var items: [Item] = []
    /// The position to continue at, if not all due messages were examined.
    var rest: [UInt8]?
    /// When the next one after these is due.
    var next = DueTimes.never

    /// So many are sent in one step.
    static var maximumCount: Int { 256 }
    static var maximumSize: Int { 1 << 20 }
    /// And so many looked at.
    static var longestLook: Int { 1024 }

    /// Ranges of messages that have one sender.
    static func stretches(_ messages: [ScheduledMessage]) -> [Range<Int>] {
        var stretches: [Range<Int>] = []
        for index in messages.indices {
            if let last = stretches.last, messages[last.lowerBound].isOfSender(of: messages[index]) {
                stretches[stretches.count - 1] = last.lowerBound..<index + 1
            } else {
                stretches.append(index..<index + 1)
            }
        }
        return stretches
    }
}
