/// Some of a transport's records, in the order in which it showed them: copied, and checked.
struct HostBatch {
    let isBackward: Bool
    private(set) var records: [MemoryRecord] = []
    /// The error in a record.
    private(set) var fault: CrosstieError?
    private let bound: UnsafeRawBufferPointer
    private let maximumCount: Int
    private var size = 0

    /// A value with its options and headers.
    static var maximumRecordSize: Int { 65 << 20 }
    static var maximumKeySize: Int { 511 }
    private static var enoughSize: Int { 1 << 20 }

    /// - Parameter bound: where the scan begins; borrowed for as long.
    init(from bound: UnsafeRawBufferPointer, isBackward: Bool = false, maximumCount: Int) {
        self.bound = bound
        self.isBackward = isBackward
        self.maximumCount = maximumCount
    }

    /// Whether there may be more records than these.
    var isFull: Bool { records.count >= maximumCount || size >= HostBatch.enoughSize }

    /// Takes a record; nil stands for bytes that cannot be. False to end the scan.
    mutating func add(_ key: UnsafeRawBufferPointer?, _ bytes: UnsafeRawBufferPointer?) -> Bool {
        guard fault == nil, !isFull else { return false }
        do throws(CrosstieError) {
            guard let key, let bytes, !key.isEmpty, key.count <= HostBatch.maximumKeySize else {
                throw CrosstieError(.corruptData, "the transport showed a record without a key, or of no possible size")
            }
            guard isNext(key) else { throw CrosstieError(.corruptData, "the transport showed a record out of order") }
            records.append(try MemoryRecord(key, bytes))
            size += key.count + bytes.count
            return !isFull
        } catch {
            fault = error
            return false
        }
    }

    private func isNext(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let last = records.last else {
            let order = KeyOrder.compare(key, bound)
            return order == 0 || (order < 0) == isBackward
        }
        let order = KeyOrder.compare(key, last.key)
        return order != 0 && (order < 0) == isBackward
    }
}
