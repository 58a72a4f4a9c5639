@testable import Crosstie

/// A URL parsed into memory of its own, as tests want to see it.
///
/// The input is in an allocation of exactly its size, so that a memory checker sees a read past it.
final class ParsedURL {
    private(set) var result: ParseResult
    /// Where the parts are; they live as long as this object.
    let location: UnsafeMutablePointer<URLParts>
    let ranges: UnsafeMutablePointer<SegmentRange>
    private(set) var area: UnsafeMutableRawPointer

    /// The parser to use.
    enum Reading { case both, quick, careful, foreign }

    convenience init(_ url: String, capacity: Int = 512) { self.init(bytes: Array(url.utf8), capacity: capacity) }

    init(bytes: [UInt8], capacity: Int = 512, reading: Reading = .both) {
        location = .allocate(capacity: 1)
        ranges = .allocate(capacity: 65)
        area = .allocate(byteCount: capacity, alignment: 16)
        let input = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        input.copyBytes(from: bytes)
        defer { input.deallocate() }
        let url = UnsafeRawBufferPointer(input)
        result = .parsed
        result = parse(url, capacity, reading)
        if case .needs(let size) = result {
            area.deallocate()
            area = .allocate(byteCount: size, alignment: 16)
            result = parse(url, size, reading)
        }
    }

    private func parse(_ url: UnsafeRawBufferPointer, _ capacity: Int, _ reading: Reading) -> ParseResult {
        switch reading {
        case .both:
            return parseURL(url, area: area, capacity: capacity, segments: ranges, into: location)
        case .careful:
            return URLNormalizer.parse(url, area: area, capacity: capacity, segments: ranges, into: location)
        case .foreign:
            return URLNormalizer.parse(
                url, area: area, capacity: capacity, segments: ranges, into: location, isForeign: true)
        case .quick:
            let isQuick = QuickURL.parse(url, area: area, capacity: capacity, segments: ranges, into: location)
            return isQuick ? .parsed : .failed(ParseFailure(.empty, at: 0))
        }
    }

    deinit {
        location.deallocate()
        ranges.deallocate()
        area.deallocate()
    }

    var parts: URLParts { location.pointee }

    func text(_ range: SegmentRange) -> String { String(decoding: parts.text(range), as: UTF8.self) }

    var failure: ParseFailure? {
        if case .failed(let failure) = result { return failure }
        return nil
    }

    var normalForm: String? { result == .parsed ? text(parts.normalForm) : nil }

    /// The decoded path segments.
    var segments: [String] {
        guard parts.segmentCount > 0 else { return [] }
        return (1...Int(parts.segmentCount)).map { text(ranges[$0]) }
    }

    var pairs: [String] {
        var query = Query(of: parts)
        var pairs: [String] = []
        while let pair = query.next() { pairs.append("\(text(pair.key))=\(text(pair.value))") }
        return pairs
    }

    func query(_ key: String) -> (count: Int, first: String) {
        let found = Array(key.utf8).withUnsafeBytes { parts.query($0) }
        return (found.count, text(found.first))
    }
}

/// A small generator, so that random tests run the same everywhere.
struct TestRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
