import Synchronization

/// What requests want to know of the pattern that matched them: its text and its parameters' names, in
/// one counted block of memory, so that a request may outlive its route.
package struct PatternInfo {
    private struct Header: ~Copyable {
        let references: Atomic<UInt32>
        let nameCount: Int
        let textCount: Int
    }

    private let raw: UnsafeMutableRawPointer

    /// Copies both; the names are those of the captures, in path order.
    package init(text: String, names: [String]) {
        let nameBytes = names.reduce(0) { $0 + $1.utf8.count }
        let ranges = names.count * MemoryLayout<SegmentRange>.stride
        raw = .allocate(
            byteCount: MemoryLayout<Header>.stride + ranges + nameBytes + text.utf8.count, alignment: 16)
        raw.bindMemory(to: Header.self, capacity: 1)
            .initialize(to: Header(references: Atomic(1), nameCount: names.count, textCount: text.utf8.count))
        var offset = 0
        for (position, name) in names.enumerated() {
            nameRanges[position] = SegmentRange(
                offset: UInt16(truncatingIfNeeded: offset), length: UInt16(truncatingIfNeeded: name.utf8.count))
            copy(name, to: offset)
            offset += name.utf8.count
        }
        copy(text, to: offset)
    }

    private func copy(_ text: String, to offset: Int) {
        var text = text
        text.withUTF8 { bytes in
            if let base = bytes.baseAddress { (self.bytes + offset).copyMemory(from: base, byteCount: bytes.count) }
        }
    }

    private var header: UnsafeMutablePointer<Header> { raw.assumingMemoryBound(to: Header.self) }

    private var nameRanges: UnsafeMutablePointer<SegmentRange> {
        (raw + MemoryLayout<Header>.stride).assumingMemoryBound(to: SegmentRange.self)
    }

    private var bytes: UnsafeMutableRawPointer {
        raw + MemoryLayout<Header>.stride + header.pointee.nameCount * MemoryLayout<SegmentRange>.stride
    }

    package var nameCount: Int { header.pointee.nameCount }

    /// The name of a capture; `position` must be below ``nameCount``. It lives as long as this.
    package func name(_ position: Int) -> UnsafeRawBufferPointer {
        let range = nameRanges[position]
        return UnsafeRawBufferPointer(start: bytes + Int(range.offset), count: Int(range.length))
    }

    /// The pattern as registered. It lives as long as this.
    package var text: UnsafeRawBufferPointer {
        let count = nameCount
        let end = count == 0 ? 0 : nameRanges[count - 1].end
        return UnsafeRawBufferPointer(start: bytes + end, count: header.pointee.textCount)
    }

    package func retain() { header.pointee.references.add(1, ordering: .relaxed) }

    package func release() {
        if header.pointee.references.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { raw.deallocate() }
    }
}
