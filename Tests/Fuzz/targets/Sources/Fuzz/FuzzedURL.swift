@testable import Crosstie

/// A URL parsed into memory of exactly the size that parsing asks for, so that the sanitizer sees a step past it.
final class FuzzedURL {
    /// The parser that reads: the one pass, the careful one, or both as in the library.
    enum Parser {
        case quick, careful, whole, foreign
    }

    /// The URL as it was given.
    let source: [UInt8]
    let result: ParseResult
    let capacity: Int
    private(set) var location: UnsafeMutablePointer<URLParts>
    let ranges: UnsafeMutablePointer<SegmentRange>
    /// The host and the decoded segments of the path; made when first asked for.
    private(set) lazy var texts = (0...segmentCount).map { Array(text(ranges[$0])) }
    private let area: UnsafeMutableRawPointer

    /// Parses into an area of this many bytes, or of as many as it then takes.
    init(_ input: UnsafeRawBufferPointer, by parser: Parser = .whole, capacity: Int = 0, growing: Bool = true) {
        source = Array(input)
        location = .allocate(capacity: 1)
        ranges = .allocate(capacity: URLLimits.segments + 1)
        var room = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        var size = capacity
        var result = Self.parse(input, by: parser, room, size, ranges, location)
        if growing, case .needs(let needed) = result {
            demand(needed > size && needed <= URLLimits.area, "asks for \(needed) bytes of area, having \(size)")
            room.deallocate()
            (room, size) = (.allocate(byteCount: needed, alignment: 16), needed)
            result = Self.parse(input, by: parser, room, size, ranges, location)
            if case .needs = result { demand(false, "asks for more than it asked for") }
        }
        (area, self.capacity, self.result) = (room, size, result)
    }

    convenience init(_ bytes: [UInt8], capacity: Int = 0) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        self.init(UnsafeRawBufferPointer(copy), capacity: capacity)
    }

    deinit {
        location.deallocate()
        ranges.deallocate()
        area.deallocate()
    }

    private static func parse(
        _ input: UnsafeRawBufferPointer, by parser: Parser, _ area: UnsafeMutableRawPointer, _ capacity: Int,
        _ ranges: UnsafeMutablePointer<SegmentRange>, _ parts: UnsafeMutablePointer<URLParts>
    ) -> ParseResult {
        switch parser {
        case .quick:
            let isQuick = QuickURL.parse(input, area: area, capacity: capacity, segments: ranges, into: parts)
            return isQuick ? .parsed : .needs(0)
        case .careful:
            return URLNormalizer.parse(input, area: area, capacity: capacity, segments: ranges, into: parts)
        case .foreign:
            return URLNormalizer.parse(
                input, area: area, capacity: capacity, segments: ranges, into: parts, isForeign: true)
        case .whole:
            return parseURL(input, area: area, capacity: capacity, segments: ranges, into: parts)
        }
    }
}

extension FuzzedURL {
    var isParsed: Bool { result == .parsed }
    var parts: URLParts { location.pointee }
    var segmentCount: Int { Int(parts.segmentCount) }
    var normalForm: UnsafeRawBufferPointer { text(parts.normalForm) }

    func text(_ range: SegmentRange) -> UnsafeRawBufferPointer { parts.text(range) }

    /// The decoded text of a path segment, counted from 0.
    func segment(_ index: Int) -> UnsafeRawBufferPointer { text(ranges[index + 1]) }

    func isEscaped(_ index: Int) -> Bool { parts.escapedSlashes >> UInt64(index) & 1 != 0 }

    var pairs: [(key: [UInt8], value: [UInt8])] {
        var query = Query(of: parts)
        var pairs: [(key: [UInt8], value: [UInt8])] = []
        while let pair = query.next() { pairs.append((Array(text(pair.key)), Array(text(pair.value)))) }
        return pairs
    }
}

extension FuzzedURL: CustomStringConvertible {
    var description: String { String(decoding: source, as: UTF8.self) }
}
