/// The messages that the log holds for a topic after a position, counted in segments while others write. Under the
/// writers' lock only the new messages are counted, and one segment again of which the begin has been trimmed.
struct KeptCount {
    /// Some blocks of the log that follow each other.
    private struct Segment {
        /// The number of the last block.
        var end: UInt64 = 0
        /// The messages of the topic.
        var kept = LogTail()
        /// All messages, of whatever topic.
        var all: UInt64 = 0
    }

    private let topic: Topic
    /// Where it begins; on making a consumer, where that is to begin.
    let position: UInt64
    /// The consumer at the time; nil: a new one, or none.
    private let cursor: CursorState?
    private var segments: [Segment] = []
    /// The log's removed messages when counting began; nil while nothing is counted.
    private var removed: UInt64?
    /// Everything up to this number is counted; nil if it is not over.
    private var newest: UInt64?

    static var mostAttempts: Int { 8 }
    /// Blocks in a segment, and about so many messages.
    private static var segmentLength: Int { 256 }
    private static var segmentCount: UInt64 { 4096 }
    /// Segments in one reading, which keeps their pages from being used again.
    private static var longestReading: Int { 32 }

    /// A count of nothing.
    init(of topic: Topic, after position: UInt64, for cursor: CursorState? = nil) {
        self.topic = topic
        self.position = position
        self.cursor = cursor
    }

    var isOver: Bool { newest != nil }

    // MARK: Before

    /// Counts some segments more.
    @inline(never)
    mutating func count(_ snapshot: borrowing StoreTransaction) throws(CrosstieError) {
        let meta = try snapshot.meta()
        let end = meta.sequence(ofState: snapshot.number)
        if removed == nil { removed = meta.removed.index }
        for _ in 0..<KeptCount.longestReading where newest == nil {
            // Nothing there is after the position.
            let before = segments.last?.end ?? 0
            let segment = position < end ? try segment(after: before, in: snapshot) : Segment()
            // In a damaged store a block may have a number that is no later than the one before it.
            if segment.end > before { segments.append(segment) } else { newest = end }
        }
    }

    @inline(never)
    private func segment(
        after start: UInt64, upTo end: UInt64 = .max, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Segment {
        var dead = cursor.map { WaitingReader(of: $0, type: StoreKey.deadLetter) }
        var (segment, left, reached) = (Segment(), KeptCount.segmentLength, start)
        try transaction.scanBlocks(after: start) { last, block throws(CrosstieError) in
            guard left > 0, segment.all < KeptCount.segmentCount, last <= end else { return .stop }
            left -= 1
            segment.end = last
            segment.all &+= UInt64(clamping: block?.count ?? 0)
            if let block, last > position {
                let kept = try transaction.count(block, of: topic, after: max(position, reached), without: &dead)
                segment.kept.add(kept)
            }
            reached = last
            return .next
        }
        return segment
    }

    // MARK: Under the lock

    /// The complete count; nil if messages have been removed from the middle of the log, or the consumer's dead letters
    /// have changed: then it has to be made again.
    @inline(never)
    func total(
        after position: UInt64, for cursor: CursorState? = nil, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> LogTail? {
        guard let newest, position < newest else { return try rest(after: position, for: cursor, in: transaction) }
        guard position == self.position, hasSameDead(cursor), var kept = try left(in: transaction) else { return nil }
        kept.add(try rest(after: newest, for: cursor, in: transaction))
        return kept
    }

    private func hasSameDead(_ now: CursorState?) -> Bool {
        now == cursor || (now?.tally.deadCount ?? 0) == 0 && (cursor?.tally.deadCount ?? 0) == 0
    }

    private func rest(
        after number: UInt64, for cursor: CursorState?, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> LogTail {
        var dead = cursor.map { WaitingReader(of: $0, type: StoreKey.deadLetter) }
        var (kept, reached) = (LogTail(), number)
        try transaction.scanBlocks(after: number) { last, block throws(CrosstieError) in
            if let block { kept.add(try transaction.count(block, of: topic, after: reached, without: &dead)) }
            reached = last
            return .next
        }
        return kept
    }

    /// The remaining counted messages, if all that have been removed since were the first ones; otherwise nil.
    private func left(in transaction: borrowing StoreTransaction) throws(CrosstieError) -> LogTail? {
        let removedSince = try transaction.meta().removed.index &- (removed ?? 0)
        guard removedSince > 0 else { return sum(segments[...]) }
        let front = try transaction.firstBlock() ?? .max
        let rest = segments.drop { $0.end < front }
        var missing = segments[..<rest.startIndex].reduce(0) { $0 &+ $1.all }
        guard let first = rest.first else { return missing == removedSince ? LogTail() : nil }
        let start = rest.startIndex > 0 ? segments[rest.startIndex - 1].end : 0
        let now = try segment(after: start, upTo: first.end, in: transaction)
        missing &+= first.all &- now.all
        guard missing == removedSince else { return nil }
        var kept = sum(rest.dropFirst())
        kept.add(now.kept)
        return kept
    }

    private func sum(_ segments: ArraySlice<Segment>) -> LogTail {
        segments.reduce(into: LogTail()) { $0.add($1.kept) }
    }
}

extension Group {
    /// Counts how much the log holds for a topic after a position, for a step that has to know it. A step for which the count
    /// was of no use is repeated with another one; the last time, nothing is counted before.
    /// - Parameters:
    ///   - key: the consumer whose dead letters are not counted.
    ///   - attempts: how often it has been counted for the step.
    @inline(never)
    func keptCount(
        of topic: Topic, after position: UInt64, for key: CursorKey? = nil, _ attempts: inout Int
    ) throws(CrosstieError) -> KeptCount {
        attempts += 1
        guard attempts <= KeptCount.mostAttempts else { return KeptCount(of: topic, after: position) }
        return try countKept(of: topic, after: position, for: key)
    }

    @inline(never)
    private func countKept(
        of topic: Topic, after position: UInt64, for key: CursorKey?
    ) throws(CrosstieError) -> KeptCount {
        var known: KeptCount?
        while true {
            let before = known
            let count = try read { snapshot throws(CrosstieError) in
                var count =
                    if let before { before } else {
                        try snapshot.beginCount(of: topic, after: position, for: key, boot: boot)
                    }
                try count.count(snapshot)
                return count
            }
            if count.isOver { return count }
            known = count
        }
    }
}

extension StoreTransaction {
    /// The position at which a consumer begins that is to begin at one: without what was dropped, unless it never drops
    /// messages.
    func begin(of key: CursorKey?, at position: UInt64) throws(CrosstieError) -> UInt64 {
        if let key, try durableOptions(key).isProtected { return position }
        return max(position, try meta().dropped)
    }

    @inline(never)
    fileprivate func beginCount(
        of topic: Topic, after position: UInt64, for key: CursorKey?, boot: UInt64
    ) throws(CrosstieError) -> KeptCount {
        let cursor = if let key { try cursor(key, boot: boot) } else { nil as CursorState? }
        return KeptCount(of: topic, after: try begin(of: key, at: position), for: cursor)
    }

    /// The number of the log's first block; nil if there is none.
    fileprivate func firstBlock() throws(CrosstieError) -> UInt64? {
        var first: UInt64?
        try scanBlocks(after: 0) { last, _ in
            first = last
            return .stop
        }
        return first
    }

    /// The messages of a topic in a block after a number, without dead letters.
    fileprivate func count(
        _ block: LogBlock, of topic: Topic, after number: UInt64, without dead: inout WaitingReader?
    ) throws(CrosstieError) -> LogTail {
        var count = LogTail()
        _ = try block.forEach(after: number) { sequence, record throws(CrosstieError) in
            guard let record, topic.covers(record) else { return .next }
            if try dead?.contains(sequence, in: self) != true { count.add(record) }
            return .next
        }
        return count
    }
}
