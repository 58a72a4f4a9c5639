/// A record's place in an extent, in place of the record.
struct ExtentReference {
    let extent: Extent
    /// Bytes of the record.
    let size: Int

    /// The fields of the record.
    enum Layout {
        static var mark: RecordField<UInt8> { RecordField(0) }
        static var pageCount: RecordField<UInt32> { RecordField(4) }
        static var maker: RecordField<UInt64> { RecordField(8) }
        static var index: RecordField<UInt32> { RecordField(16) }
        static var size: RecordField<UInt64> { RecordField(24) }
        static var end: Int { 32 }
    }

    static var size: Int { Layout.end }
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
            let size = Int(exactly: record[Layout.size])
        else { return nil }
        extent = Extent(pageCount: record[Layout.pageCount], maker: record[Layout.maker], index: record[Layout.index])
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
        base[Layout.size] = UInt64(clamping: self.size)
    }

    /// The record, in the bytes of its extent; nil if they are too few.
    func record(in bytes: UnsafeRawBufferPointer?) -> UnsafeRawBufferPointer? {
        guard let bytes, size <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[..<size])
    }
}
