/// Reads a block's messages, one after the other.
struct LogBlockReader {
    private let block: LogBlock
    private var left: Int
    private var last: UInt64 = 0
    /// Where the next message begins.
    private(set) var position = 0
    /// Whether the rest cannot be read.
    private(set) var isDamaged = false

    init(_ block: LogBlock) {
        self.block = block
        left = block.count
    }

    /// The next message; nil at the end, or when there is none though there should be.
    @inline(__always)
    mutating func next() -> LogRecord? {
        guard left > 0, !isDamaged else { return nil }
        guard let record = LogRecord(block.entries, at: &position, of: block), record.stamp.sequence > last else {
            isDamaged = true
            return nil
        }
        left &-= 1
        last = record.stamp.sequence
        return record
    }
}
