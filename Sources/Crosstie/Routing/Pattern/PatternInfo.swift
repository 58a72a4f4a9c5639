import Synchronization

/// The stored description of a route's pattern: its text, remark and name as registered, and its parameters' names and
/// types, in one counted block of memory, so that a request may outlive its route.
package struct PatternInfo: @unchecked Sendable {
    package typealias Text = UnsafeRawBufferPointer

    private struct Header: ~Copyable {
        let references: Atomic<UInt32>
        // Small, for there is one of these for each route; the limits of all four are.
        let textCount: UInt16
        let remarkCount: UInt16
        let routeNameCount: UInt8
        let nameCount: UInt8
    }

    /// The header, the parameters' ranges and types, the text, the remark, the route's name, the parameters' names.
    private let raw: UnsafeMutableRawPointer

    /// Copies everything. The parameters are the captures, in path order.
    package init(_ pattern: borrowing Pattern, text: Text, remark: Text = Text.empty, name: Text = Text.empty) {
        var count = 0
        var nameBytes = 0
        for segment in pattern.segments where segment.captures {
            count += 1
            nameBytes += Int(segment.name.length)
        }
        let parameters = count * (MemoryLayout<SegmentRange>.stride + MemoryLayout<ParameterType>.stride)
        let texts = text.count + remark.count + name.count + nameBytes
        raw = .allocate(byteCount: MemoryLayout<Header>.stride + parameters + texts, alignment: 4)
        raw.bindMemory(to: Header.self, capacity: 1).initialize(
            to: Header(
                references: Atomic(1), textCount: UInt16(truncatingIfNeeded: text.count),
                remarkCount: UInt16(truncatingIfNeeded: remark.count),
                routeNameCount: UInt8(truncatingIfNeeded: name.count), nameCount: UInt8(truncatingIfNeeded: count)))
        copy(text, to: 0)
        copy(remark, to: text.count)
        copy(name, to: text.count + remark.count)
        copyParameters(of: pattern, to: text.count + remark.count + name.count)
    }

    private func copyParameters(of pattern: borrowing Pattern, to start: Int) {
        var offset = start
        var position = 0
        pattern.text.withUnsafeBytes { source in
            for segment in pattern.segments where segment.captures {
                let length = Int(segment.name.length)
                nameRanges[position] = SegmentRange(
                    offset: UInt16(truncatingIfNeeded: offset), length: segment.name.length)
                types[position] = segment.type
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

    private var types: UnsafeMutablePointer<ParameterType> {
        UnsafeMutableRawPointer(nameRanges + nameCount).assumingMemoryBound(to: ParameterType.self)
    }

    private var content: UnsafeMutableRawPointer { UnsafeMutableRawPointer(types + nameCount) }

    package func retain() { header.pointee.references.add(1, ordering: .relaxed) }

    package func release() {
        if header.pointee.references.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { raw.deallocate() }
    }
}

/// Its content lives as long as it does.
extension PatternInfo {
    package var nameCount: Int { Int(header.pointee.nameCount) }

    /// The name of a capture; `position` must be below ``nameCount``.
    @inline(__always)
    package func name(_ position: Int) -> UnsafeRawBufferPointer {
        let range = nameRanges[position]
        return UnsafeRawBufferPointer(start: content + Int(range.offset), count: Int(range.length))
    }

    /// The type of a capture; `position` must be below ``nameCount``.
    package func type(_ position: Int) -> ParameterType { types[position] }

    /// The position of the capture of a name.
    @inline(__always)
    package func position(of name: UnsafeRawBufferPointer) -> Int? {
        for position in 0..<nameCount {
            if equalBytes(self.name(position), name) { return position }
        }
        return nil
    }

    /// The pattern as registered.
    package var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: content, count: Int(header.pointee.textCount))
    }

    package var remark: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: content + Int(header.pointee.textCount), count: Int(header.pointee.remarkCount))
    }

    /// The route's name; empty for none.
    package var routeName: String {
        let start = content + Int(header.pointee.textCount) + Int(header.pointee.remarkCount)
        return String(
            decoding: UnsafeRawBufferPointer(start: start, count: Int(header.pointee.routeNameCount)), as: UTF8.self)
    }
}
