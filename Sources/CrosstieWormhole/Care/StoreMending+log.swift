/// The blocks of the log.
extension StoreMending {
    mutating func takeBlock(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        guard let record, let sequence = key.withUnsafeBytes({ StoreKey.sequence($0) }),
            sequence < StoreMending.largestNumber
        else {
            return lose(key, "cannot be read")
        }
        typealias Kept = (bytes: [UInt8], count: Int, lost: Int)
        let kept: Kept? = try record.withBytes { bytes throws(CrosstieError) in
            guard let block = LogBlock(bytes, sequence: sequence) else { return nil }
            let (changed, removed) = try block.keeping(mends: true) { $0.isSound }
            guard let changed else { return removed == 0 ? (Array(bytes), block.count, 0) : nil }
            return (changed, block.count - removed, removed)
        }
        guard var kept else { return lose(key, "cannot be read") }
        if kept.lost > 0 { lose(key, "has lost \(kept.lost) of \(kept.count + kept.lost) messages") }
        let stated = kept.bytes.withUnsafeBytes { LogBlock($0, sequence: sequence)?.tail ?? LogTail() }
        let least = LogTail(index: tail.index &+ UInt64(kept.count), total: tail.total &+ UInt64(kept.bytes.count))
        let isSensible =
            (!hasLog || stated.index >= least.index && stated.total >= least.total) && stated.index < 1 << 62
            && stated.total < 1 << 62 && stated.index >= UInt64(kept.count)
        tail = isSensible ? stated : least
        LogBlock.setTail(tail, in: &kept.bytes)
        hasLog = true
        log.index &+= UInt64(kept.count)
        log.total &+= UInt64(kept.bytes.count)
        newest = max(newest, sequence)
        try keep(key, kept.bytes)
    }
}

extension LogBlock {
    /// Writes other counts into the bytes of a block.
    static func setTail(_ tail: LogTail, in bytes: inout [UInt8]) {
        guard bytes.count >= headerSize else { return }
        bytes.withUnsafeMutableBytes { room in
            room[Layout.index] = tail.index
            room[Layout.total] = tail.total
        }
    }
}
