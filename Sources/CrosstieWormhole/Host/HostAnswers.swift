/// The single records that a transport has shown for some keys: copied, and checked.
struct HostAnswers {
    private let keys: [[UInt8]]
    private(set) var records: [MemoryRecord] = []
    /// The error in a record.
    private(set) var fault: CrosstieError?

    init(_ keys: [[UInt8]]) { self.keys = keys }

    /// Takes a record; nil stands for bytes that cannot be. False to end it.
    mutating func add(_ key: UnsafeRawBufferPointer?, _ bytes: UnsafeRawBufferPointer?) -> Bool {
        guard fault == nil else { return false }
        do throws(CrosstieError) {
            guard let key, let bytes, keys.contains(where: { key.elementsEqual($0) }) else {
                throw CrosstieError(.corruptData, "the transport showed a record that it was not asked for")
            }
            guard !records.contains(where: { KeyOrder.compare($0.key, key) == 0 }) else {
                throw CrosstieError(.corruptData, "the transport showed two records of one key")
            }
            records.append(try MemoryRecord(key, bytes))
            return true
        } catch {
            fault = error
            return false
        }
    }
}
