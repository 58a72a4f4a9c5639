/// A record's place in an extent, in place of the record.
struct ExtentReference {
    let extent: Extent
    /// Bytes of the record.
    let size: Int
    /// Differs from write to write, and follows the record in the extent. A damaged or old reference that leads to
    /// another record's extent has another number.
    let writeNumber: UInt32

    static var size: Int { 32 }
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

    /// Nil for what is none.
    init?(_ record: UnsafeRawBufferPointer) {
        guard ExtentReference.isLikely(record),
            let size = Int(exactly: record.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        else { return nil }
        extent = Extent(
            pageCount: record.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
            maker: record.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            index: record.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        writeNumber = record.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
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
        base.storeBytes(of: writeNumber, toByteOffset: 20, as: UInt32.self)
        base.storeBytes(of: UInt64(clamping: self.size), toByteOffset: 24, as: UInt64.self)
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
