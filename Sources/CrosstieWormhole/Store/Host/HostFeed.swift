/// The records of a scan that the transport has returned and that are not visited yet.
struct HostFeed {
    private var records: ArraySlice<MemoryRecord> = []
    /// The number of records that the next load requests: few at first, since most scans end soon.
    private(set) var nextCount = 16
    private(set) var isAtEnd: Bool

    init(isAtEnd: Bool) { self.isAtEnd = isAtEnd }

    mutating func first(notBefore bound: UnsafeRawBufferPointer) -> MemoryRecord? {
        records = records.drop { KeyOrder.isBefore($0.key, bound) }
        return records.first
    }

    mutating func take(_ loaded: [MemoryRecord]) {
        isAtEnd = loaded.isEmpty
        records = loaded[...]
        nextCount = min(nextCount * 2, 1024)
    }
}
