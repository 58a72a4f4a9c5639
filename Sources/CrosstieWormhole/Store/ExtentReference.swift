/// A record's position in an extent, in place of the record.
struct ExtentReference {
    let extent: Extent
    /// Bytes of the record.
    let size: Int
    /// Differs from write to write, and follows the record in the extent. A damaged or old reference that leads to
    /// another record's extent has another number.
    let writeNumber: UInt32

    /// The fields of the record.
    enum Layout {
        static var mark: RecordField<UInt8> { RecordField(0) }
        static var pageCount: RecordField<UInt32> { RecordField(4) }
        static var maker: RecordField<UInt64> { RecordField(8) }
        static var index: RecordField<UInt32> { RecordField(16) }
        static var writeNumber: RecordField<UInt32> { RecordField(20) }
        static var size: RecordField<UInt64> { RecordField(24) }
        static var end: Int { 32 }
    }

    static var size: Int { Layout.end }
    /// Of the number that follows the record.
    static var writeNumberSize: Int { 4 }
    /// No format of a record has this number.
    static var mark: UInt8 { 0xFF }

    /// - Parameters:
    ///   - transaction: the one that writes the record.
    ///   - index: of the record among those that the transaction writes into extents.
    init(_ extent: Extent, size: Int, transaction: UInt64, index: UInt32) {
        self.extent = extent
        self.size = size
        let mixed = (transaction &+ UInt64(index) &<< 48) &* 0x9E37_79B9_7F4A_7C15
        // Never 0, which is in a page that nobody has written.
        writeNumber = UInt32(truncatingIfNeeded: mixed &>> 32) | 1
    }

    /// Whether a record may be a reference.
    @inline(__always)
    static func isLikely(_ record: UnsafeRawBufferPointer) -> Bool { record.count == size && record.first == mark }

    /// Nil for malformed bytes.
    init?(_ record: UnsafeRawBufferPointer) {
        guard ExtentReference.isLikely(record),
            let size = Int(exactly: record[Layout.size])
        else { return nil }
        extent = Extent(pageCount: record[Layout.pageCount], maker: record[Layout.maker], index: record[Layout.index])
        writeNumber = record[Layout.writeNumber]
        self.size = size
    }

    /// Writes it into room of ``size``.
    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= ExtentReference.size else { return }
        base.initializeMemory(as: UInt8.self, repeating: 0, count: ExtentReference.size)
        base[Layout.mark] = ExtentReference.mark
        base[Layout.pageCount] = extent.pageCount
        base[Layout.maker] = extent.maker
        base[Layout.index] = extent.index
        base[Layout.writeNumber] = writeNumber
        base[Layout.size] = UInt64(clamping: self.size)
    }

    /// Writes the number of this write behind the record, into an extent's bytes. Returns the room for the record.
    func sealed(_ bytes: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        guard let base = bytes.baseAddress, size <= bytes.count - ExtentReference.writeNumberSize else { return bytes }
        (base + size).storeBytes(of: writeNumber, as: UInt32.self)
        return UnsafeMutableRawBufferPointer(start: base, count: size)
    }

    /// The record, in the bytes of its extent; nil if they are too few, or another record's.
    func record(in bytes: UnsafeRawBufferPointer?) -> UnsafeRawBufferPointer? {
        guard let bytes, size <= bytes.count - ExtentReference.writeNumberSize,
            bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self) == writeNumber
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[..<size])
    }
}
