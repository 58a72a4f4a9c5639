/// The content of the area behind the normal form: the host as written, decoded segments, decoded pairs.
extension URLNormalizer {
    mutating func decode() {
        keepWrittenHost()
        if !parts.pointee.flags.contains(.opaque) { splitPath() }
        if holdsEscape(parts.pointee.query) { decodeQuery() }
        parts.pointee.used = UInt32(truncatingIfNeeded: written)
        // Text is loaded in steps of 16; the bytes behind the last one should not be random.
        (out + written).update(repeating: 0, count: URLLimits.slack)
    }

    /// Until now the range stands for a part of the input.
    private mutating func keepWrittenHost() {
        let range = parts.pointee.writtenHost
        let start = written
        put(input, Int(range.offset)..<range.end)
        parts.pointee.writtenHost = SegmentRange(from: start, to: written)
    }

    private func normal(_ range: SegmentRange) -> UnsafeRawBufferPointer { parts.pointee.text(range) }

    private func holdsEscape(_ range: SegmentRange) -> Bool {
        nextEscape(from: Int(range.offset), to: range.end) < range.end
    }

    /// Where the next escape of the normal form begins, or `end`.
    private func nextEscape(from start: Int, to end: Int) -> Int {
        Self.find(0x25, in: UnsafeRawBufferPointer(start: out, count: end), from: start, to: end)
    }

    /// Segments without escapes are ranges of the normal form. Otherwise all of them are decoded behind it,
    /// with slashes between, so that any run of them is one piece of text.
    private mutating func splitPath() {
        let path = parts.pointee.path
        let decoded = holdsEscape(path)
        var start = Int(path.offset) + 1
        var count = 0
        while start < path.end {
            let piece = segment(from: start, before: path.end)
            if decoded, count > 0 { put(0x2F) }
            segments[count + 1] = decoded ? decodeSegment(piece, index: count) : piece
            count += 1
            start = piece.end + 1
        }
        parts.pointee.segmentCount = UInt8(truncatingIfNeeded: count)
    }

    private func segment(from start: Int, before end: Int) -> SegmentRange {
        let text = UnsafeRawBufferPointer(start: out, count: end)
        return SegmentRange(from: start, to: Self.find(0x2F, in: text, from: start, to: end))
    }

    private mutating func decodeSegment(_ piece: SegmentRange, index: Int) -> SegmentRange {
        let decoded = decodeText(piece)
        if normal(decoded).contains(where: { $0 == 0x2F || $0 == 0x5C }) {
            parts.pointee.escapedSlashes |= 1 << UInt64(index)
        }
        return decoded
    }

    private mutating func decodeText(_ range: SegmentRange) -> SegmentRange {
        let text = UnsafeRawBufferPointer(start: out, count: range.end)
        let start = written
        var position = Int(range.offset)
        while position < range.end {
            let escape = nextEscape(from: position, to: range.end)
            put(text, position..<escape)
            position = escape
            while position < range.end, text[position] == 0x25 {
                let (byte, next) = URLBytes.decoded(text, position)
                put(byte)
                position = next
            }
        }
        return SegmentRange(from: start, to: written)
    }

    private mutating func decodeQuery() {
        var pairs = Query(raw: parts.pointee.query, in: UnsafeRawPointer(out))
        let start = written
        while let pair = pairs.next() {
            _ = decodeText(pair.key)
            put(0)
            _ = decodeText(pair.value)
            put(0)
        }
        parts.pointee.decodedQuery = SegmentRange(from: start, to: written)
        parts.pointee.flags.insert(.decodedQuery)
    }
}
