/// The parameter names of a pattern in one block of plain memory, for look-ups while a request runs.
package struct ParameterNames {
    private let block: UnsafeMutableRawPointer
    package let count: Int

    /// Copies the names; ``destroy()`` frees them.
    package init(of pattern: Pattern) {
        let names = pattern.segments.filter(\.captures).map(\.name)
        let header = names.count * MemoryLayout<SegmentRange>.stride
        let size = names.reduce(header) { $0 + Int($1.length) }
        block = UnsafeMutableRawPointer.allocate(byteCount: max(size, 1), alignment: 8)
        count = names.count
        var at = header
        for (index, name) in names.enumerated() {
            let range = SegmentRange(offset: UInt16(truncatingIfNeeded: at), length: name.length)
            block.storeBytes(of: range, toByteOffset: index * MemoryLayout<SegmentRange>.stride, as: SegmentRange.self)
            for byte in pattern.bytes(name) {
                block.storeBytes(of: byte, toByteOffset: at, as: UInt8.self)
                at += 1
            }
        }
    }

    package func destroy() { block.deallocate() }

    /// The name of capture `index`, which has to be below ``count``. It lives as long as the block.
    @inline(__always)
    package subscript(index: Int) -> UnsafeRawBufferPointer {
        let range = block.load(fromByteOffset: index &* MemoryLayout<SegmentRange>.stride, as: SegmentRange.self)
        return UnsafeRawBufferPointer(start: block + Int(range.offset), count: Int(range.length))
    }

    /// Which capture has a name.
    package func index(of name: UnsafeRawBufferPointer) -> Int? {
        for index in 0..<count where self[index].elementsEqual(name) { return index }
        return nil
    }
}
