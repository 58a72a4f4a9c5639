/// The pairs of a URL's query in their order, duplicates kept. `a` and `a=` both have an empty value, and an
/// empty pair (`a&&b`) is none.
package struct Query {
    private let bytes: UnsafeRawPointer
    private var at: Int
    private let end: Int
    private let decoded: Bool

    package init(of parts: URLParts) {
        decoded = parts.flags.contains(.decodedQuery)
        let range = decoded ? parts.decodedQuery : parts.query
        bytes = UnsafeRawPointer(parts.area)
        at = Int(range.offset)
        end = range.end
    }

    /// The pairs from where another reader of the same URL had come to.
    package init(of parts: URLParts, from offset: Int) {
        self.init(of: parts)
        at = max(at, offset)
    }

    /// Where the next pair begins.
    package var offset: Int { at }

    /// Pairs of undecoded text.
    init(raw range: SegmentRange, in area: UnsafeRawPointer) {
        (bytes, at, end, decoded) = (area, Int(range.offset), range.end, false)
    }

    package mutating func next() -> QueryPair? {
        decoded ? nextDecoded() : nextRaw()
    }

    private mutating func nextDecoded() -> QueryPair? {
        guard at < end else { return nil }
        let key = upTo(0, from: at, end)
        let value = upTo(0, from: key.end &+ 1, end)
        at = value.end &+ 1
        return QueryPair(key: key, value: value)
    }

    private mutating func nextRaw() -> QueryPair? {
        while at < end {
            let pair = upTo(0x26, from: at, end)
            at = pair.end &+ 1
            guard pair.length > 0 else { continue }
            let key = upTo(0x3D, from: Int(pair.offset), pair.end)
            return QueryPair(key: key, value: SegmentRange(from: min(key.end &+ 1, pair.end), to: pair.end))
        }
        return nil
    }

    private func upTo(_ byte: UInt8, from start: Int, _ limit: Int) -> SegmentRange {
        var stop = start
        while stop < limit, bytes.load(fromByteOffset: stop, as: UInt8.self) != byte { stop &+= 1 }
        return SegmentRange(from: start, to: stop)
    }

    /// Where the first pair past the limit starts.
    static func firstSurplusPair(_ query: UnsafeRawBufferPointer) -> Int? {
        // Fewer bytes cannot hold more pairs than are allowed.
        guard query.count > 2 * URLLimits.pairs else { return nil }
        var pairs = 0
        var previous: UInt8 = 0x26
        for at in 0..<query.count {
            let byte = query[at]
            if previous == 0x26, byte != 0x26 { pairs &+= 1 }
            if pairs > URLLimits.pairs { return at }
            previous = byte
        }
        return nil
    }
}

extension URLParts {
    /// The number of pairs that have a key, and the first one's value.
    package func query(_ key: UnsafeRawBufferPointer) -> (count: Int, first: SegmentRange) {
        var pairs = Query(of: self)
        var found = (count: 0, first: SegmentRange())
        while let pair = pairs.next() {
            guard equalBytes(text(pair.key), key) else { continue }
            if found.count == 0 { found.first = pair.value }
            found.count &+= 1
        }
        return found
    }
}
