/// A record's place in an extent, in place of the record.
struct ExtentReference {
    let extent: Extent
    /// Bytes of the record.
    let size: Int

    static var size: Int { 32 }
    /// No format of a record has this number.
    static var mark: UInt8 { 0xFF }

    init(_ extent: Extent, size: Int) {
        self.extent = extent
        self.size = size
    }

    /// Whether a record may be a reference.
    @inline(__always)
    static func isLikely(_ record: UnsafeRawBufferPointer) -> Bool { record.count == size && record.first == mark }

    /// Nil for what is none.
    init?(_ record: UnsafeRawBufferPointer) {
        guard ExtentReference.isLikely(record),
            let size = Int(exactly: record.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        else { return nil }
        extent = Extent(
            pageCount: record.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
            maker: record.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            index: record.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        self.size = size
    }

    /// Writes it into room of ``size``.
    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= ExtentReference.size else { return }
        base.initializeMemory(as: UInt8.self, repeating: 0, count: ExtentReference.size)
        base.storeBytes(of: ExtentReference.mark, as: UInt8.self)
        base.storeBytes(of: extent.pageCount, toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: extent.maker, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: extent.index, toByteOffset: 16, as: UInt32.self)
        base.storeBytes(of: UInt64(clamping: self.size), toByteOffset: 24, as: UInt64.self)
    }

    /// The record, in the bytes of its extent; nil if they are too few.
    func record(in bytes: UnsafeRawBufferPointer?) -> UnsafeRawBufferPointer? {
        guard let bytes, size <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[..<size])
    }
}
