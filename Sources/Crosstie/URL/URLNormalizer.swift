internal import Glibc

/// The careful reading of a URL: says what is wrong with it, writes its normal form and decodes its parts.
///
/// It first checks every byte, then writes the normal form part by part, then decodes path and query from
/// the normal form, where nothing can fail any more.
struct URLNormalizer {
    let input: UnsafeRawBufferPointer
    let out: UnsafeMutablePointer<UInt8>
    let segments: UnsafeMutablePointer<SegmentRange>
    let parts: UnsafeMutablePointer<URLParts>
    /// Whether it is kept as it is, and checked for what can hurt alone.
    let isForeign: Bool
    /// Without escapes a text decodes to itself.
    let hasEscapes: Bool
    /// Where the query or the fragment begins, or the URL ends.
    let pathEnd: Int
    /// Where the fragment begins, or the URL ends.
    let queryEnd: Int
    /// The next byte to read.
    var at = 0
    /// Bytes of the area written.
    var written = 0
    /// The position of the scheme in the area, once it is written.
    private(set) var schemeStart = 0

    @inline(never)
    static func parse(
        _ input: UnsafeRawBufferPointer, area: UnsafeMutableRawPointer, capacity: Int,
        segments: UnsafeMutablePointer<SegmentRange>, into parts: UnsafeMutablePointer<URLParts>,
        isForeign: Bool = false
    ) -> ParseResult {
        do throws(ParseFailure) {
            let bytes = try URLBytes(checking: input)
            let needed = bytes.area(for: input.count)
            guard capacity >= needed else { return .needs(needed) }
            parts.initialize(to: URLParts(area: area, capacity: capacity))
            let queryEnd = find(0x23, in: input, from: 0, to: input.count)
            var normalizer = URLNormalizer(
                input: input, out: area.bindMemory(to: UInt8.self, capacity: capacity), segments: segments,
                parts: parts, isForeign: isForeign, hasEscapes: bytes.escapes > 0,
                pathEnd: find(0x3F, in: input, from: 0, to: queryEnd),
                queryEnd: queryEnd)
            if isForeign { try normalizer.runForeign() } else { try normalizer.run() }
            return .parsed
        } catch {
            return .failed(error)
        }
    }

    private mutating func run() throws(ParseFailure) {
        try scheme()
        if starts(with: 0x2F), at + 1 < input.count, input[at + 1] == 0x2F {
            at += 2
            try authority()
        } else {
            try noAuthority()
        }
        try path()
        try query()
        try fragment()
        guard written <= URLLimits.url else { throw ParseFailure(.normalFormTooLong, at: input.count - 1) }
        parts.pointee.normalLength = UInt16(truncatingIfNeeded: written)
        decode()
    }

    mutating func scheme() throws(ParseFailure) {
        schemeStart = written
        let end = input.firstIndex { !ASCII.isScheme($0) } ?? input.count
        guard end < input.count, end > 0 else { throw ParseFailure(.noScheme, at: 0) }
        guard input[end] == 0x3A else {
            // `a/b:c` has no scheme; `a@b:c` has a bad one.
            throw input[end] == 0x2F || end == pathEnd ? ParseFailure(.noScheme, at: 0) : ParseFailure(.scheme, at: end)
        }
        guard ASCII.isLetter(input[0]) else { throw ParseFailure(.scheme, at: 0) }
        guard end <= URLLimits.scheme else { throw ParseFailure(.schemeTooLong, at: URLLimits.scheme) }
        for byte in input[..<end] { put(ASCII.lower(byte)) }
        put(0x3A)
        at = end + 1
        parts.pointee.schemeLength = UInt16(truncatingIfNeeded: end)
        if WebScheme.isWeb(writtenScheme) { parts.pointee.flags.insert(.web) }
    }

    /// In lower case.
    var writtenScheme: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: out + schemeStart, count: Int(parts.pointee.schemeLength))
    }

    /// A path without an authority is one with an empty host; text without a slash is opaque.
    mutating func noAuthority() throws(ParseFailure) {
        guard !isWeb else { throw ParseFailure(.hostMissing, at: at) }
        if starts(with: 0x2F) {
            put(0x2F)
            put(0x2F)
        } else {
            parts.pointee.flags.insert(.opaque)
        }
        setHost(from: written, written: at..<at)
    }

    // MARK: - Shared by the parts

    var isWeb: Bool { parts.pointee.flags.contains(.web) }

    func starts(with byte: UInt8) -> Bool { at < input.count && input[at] == byte }

    mutating func put(_ byte: UInt8) {
        out[written] = byte
        written += 1
    }

    /// Writes a piece of the input, or of the output so far.
    mutating func put(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard let base = text.baseAddress else { return }
        UnsafeMutableRawPointer(out + written).copyMemory(from: base + range.lowerBound, byteCount: range.count)
        written += range.count
    }

    /// The next position of a byte, or `end`.
    func find(_ byte: UInt8, before end: Int) -> Int { Self.find(byte, in: input, from: at, to: end) }

    static func find(_ byte: UInt8, in text: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        guard start < end, let base = text.baseAddress, let found = memchr(base + start, Int32(byte), end - start)
        else { return end }
        return UnsafeRawPointer(found) - base
    }

    /// Records the host that has just been written, and its position in the input.
    mutating func setHost(from start: Int, written range: Range<Int>) {
        parts.pointee.host = SegmentRange(from: start, to: written)
        segments[0] = parts.pointee.host
        parts.pointee.writtenHost = SegmentRange(from: range.lowerBound, to: range.upperBound)
    }
}
