/// A key and what stands under it, in memory.
final class MemoryRecord {
    private let base: UnsafeMutableRawPointer
    private let keySize: Int
    private let size: Int
    /// In a transaction's own changes: that nothing stands under the key any more.
    let isRemoval: Bool

    /// What a record takes beside its bytes, about.
    static var overhead: Int { 96 }

    /// A record of zeros.
    init(
        _ key: UnsafeRawBufferPointer, size: Int, isRemoval: Bool = false
    ) throws(CrosstieError) {
        guard !Memory.isScarce, size >= 0, size <= Int.max / 2,
            let base = Memory.allocateZeroed(max(1, key.count + size))
        else { throw .outOfMemory }
        if let source = key.baseAddress { base.copyMemory(from: source, byteCount: key.count) }
        self.base = base
        keySize = key.count
        self.size = size
        self.isRemoval = isRemoval
    }

    convenience init(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) throws(CrosstieError) {
        try self.init(key, size: bytes.count)
        room.copyMemory(from: bytes)
    }

    deinit { Memory.free(base) }

    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: keySize) }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + keySize, count: size) }

    /// The bytes, to be filled by whoever made the record.
    var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base + keySize, count: size) }

    func hasKey(of other: MemoryRecord) -> Bool { KeyOrder.compare(key, other.key) == 0 }

    var footprint: Int { keySize + size + MemoryRecord.overhead }
}
