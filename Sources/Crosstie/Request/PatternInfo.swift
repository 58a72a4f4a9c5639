import Synchronization

/// What is remembered of a route's pattern: its text and remark as registered and its parameters' names, in
/// one counted block of memory, so that a request may outlive its route.
package struct PatternInfo {
    private struct Header: ~Copyable {
        let references: Atomic<UInt32>
        let nameCount: Int
        let textCount: Int
        let remarkCount: Int
    }

    /// The header, the names' ranges, the text, the remark, the names.
    private let raw: UnsafeMutableRawPointer

    /// Copies everything. The names are those of the captures, in path order.
    package init(_ pattern: borrowing Pattern, text: UnsafeRawBufferPointer, remark: UnsafeRawBufferPointer) {
        var nameCount = 0
        var nameBytes = 0
        for segment in pattern.segments where segment.captures {
            nameCount += 1
            nameBytes += Int(segment.name.length)
        }
        let ranges = nameCount * MemoryLayout<SegmentRange>.stride
        raw = .allocate(
            byteCount: MemoryLayout<Header>.stride + ranges + text.count + remark.count + nameBytes, alignment: 16)
        raw.bindMemory(to: Header.self, capacity: 1).initialize(
            to: Header(
                references: Atomic(1), nameCount: nameCount, textCount: text.count, remarkCount: remark.count))
        copy(text, to: 0)
        copy(remark, to: text.count)
        copyNames(of: pattern)
    }

    private func copyNames(of pattern: borrowing Pattern) {
        var offset = header.pointee.textCount + header.pointee.remarkCount
        var position = 0
        pattern.text.withUnsafeBytes { source in
            for segment in pattern.segments where segment.captures {
                let length = Int(segment.name.length)
                nameRanges[position] = SegmentRange(
                    offset: UInt16(truncatingIfNeeded: offset), length: segment.name.length)
                copy(UnsafeRawBufferPointer(rebasing: source[Int(segment.name.offset)..<segment.name.end]), to: offset)
                position += 1
                offset += length
            }
        }
    }

    private func copy(_ bytes: UnsafeRawBufferPointer, to offset: Int) {
        if let base = bytes.baseAddress { (content + offset).copyMemory(from: base, byteCount: bytes.count) }
    }

    private var header: UnsafeMutablePointer<Header> { raw.assumingMemoryBound(to: Header.self) }

    private var nameRanges: UnsafeMutablePointer<SegmentRange> {
        (raw + MemoryLayout<Header>.stride).assumingMemoryBound(to: SegmentRange.self)
    }

    private var content: UnsafeMutableRawPointer {
        raw + MemoryLayout<Header>.stride + header.pointee.nameCount * MemoryLayout<SegmentRange>.stride
    }

    package func retain() { header.pointee.references.add(1, ordering: .relaxed) }

    package func release() {
        if header.pointee.references.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { raw.deallocate() }
    }
}

/// What it holds lives as long as it does.
extension PatternInfo {
    package var nameCount: Int { header.pointee.nameCount }

    /// The name of a capture; `position` must be below ``nameCount``.
    @inline(__always)
    package func name(_ position: Int) -> UnsafeRawBufferPointer {
        let range = nameRanges[position]
        return UnsafeRawBufferPointer(start: content + Int(range.offset), count: Int(range.length))
    }

    /// The position of the capture of a name.
    @inline(__always)
    package func position(of name: UnsafeRawBufferPointer) -> Int? {
        for position in 0..<nameCount {
            let other = self.name(position)
            if other.count == name.count, other.elementsEqual(name) { return position }
        }
        return nil
    }

    /// The pattern as registered.
    package var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: content, count: header.pointee.textCount)
    }

    package var remark: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: content + header.pointee.textCount, count: header.pointee.remarkCount)
    }
}
