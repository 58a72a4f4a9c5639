/// A key and its value, in memory.
final class MemoryRecord {
    private let base: UnsafeMutableRawPointer
    private let keySize: Int
    private let size: Int
    /// In a transaction's own changes: whether the key has been removed.
    let isRemoval: Bool

    /// Approximate bytes of a record beside its key and value.
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

    /// The bytes, which the creator of the record fills in.
    var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base + keySize, count: size) }

    func hasKey(of other: MemoryRecord) -> Bool { KeyOrder.compare(key, other.key) == 0 }

    var footprint: Int { keySize + size + MemoryRecord.overhead }
}
