/// The careful reading of a URL: says what is wrong with it, writes its normal form and decodes its parts.
///
/// It first checks every byte, then writes the normal form part by part, then decodes path and query from
/// the normal form, where nothing can fail any more.
struct URLNormalizer {
    let input: UnsafeRawBufferPointer
    let out: UnsafeMutablePointer<UInt8>
    let segments: UnsafeMutablePointer<SegmentRange>
    let parts: UnsafeMutablePointer<URLParts>
    /// The next byte to read.
    var at = 0
    /// Bytes of the area written.
    var written = 0

    @inline(never)
    static func parse(
        _ input: UnsafeRawBufferPointer, area: UnsafeMutableRawPointer, capacity: Int,
        segments: UnsafeMutablePointer<SegmentRange>, into parts: UnsafeMutablePointer<URLParts>
    ) -> ParseResult {
        do throws(ParseFailure) {
            let needed = try URLBytes.check(input)
            guard capacity >= needed else { return .needs(needed) }
            parts.initialize(to: URLParts(area: area, capacity: capacity))
            let out = area.bindMemory(to: UInt8.self, capacity: capacity)
            var normalizer = URLNormalizer(input: input, out: out, segments: segments, parts: parts)
            try normalizer.run()
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
        guard written <= URLLimits.url else { throw ParseFailure(.normalFormTooLong, at: URLLimits.url) }
        parts.pointee.normalLength = UInt16(truncatingIfNeeded: written)
        decode()
    }

    private mutating func scheme() throws(ParseFailure) {
        let end = input.firstIndex { !ASCII.isScheme($0) } ?? input.count
        guard end < input.count, end > 0 else { throw ParseFailure(.noScheme, at: 0) }
        guard input[end] == 0x3A else {
            // `a/b:c` has no scheme; `a@b:c` has a bad one.
            let delimiter = input[end] == 0x2F || input[end] == 0x3F || input[end] == 0x23
            throw delimiter ? ParseFailure(.noScheme, at: 0) : ParseFailure(.scheme, at: end)
        }
        guard ASCII.isLetter(input[0]) else { throw ParseFailure(.scheme, at: 0) }
        guard end <= URLLimits.scheme else { throw ParseFailure(.schemeTooLong, at: URLLimits.scheme) }
        for byte in input[..<end] { put(ASCII.lower(byte)) }
        put(0x3A)
        at = end + 1
        parts.pointee.schemeLength = UInt16(truncatingIfNeeded: end)
        if WebScheme.isWeb(UnsafeRawBufferPointer(start: out, count: end)) { parts.pointee.flags.insert(.web) }
    }

    /// A path without an authority is one with an empty host; text without a slash is opaque.
    private mutating func noAuthority() throws(ParseFailure) {
        guard !isWeb else { throw ParseFailure(.hostMissing, at: at) }
        if starts(with: 0x2F) {
            put(0x2F)
            put(0x2F)
        } else {
            parts.pointee.flags.insert(.opaque)
        }
        setHost(from: written, written: at..<at)
    }

    // MARK: - What the parts share

    var isWeb: Bool { parts.pointee.flags.contains(.web) }

    func starts(with byte: UInt8) -> Bool { at < input.count && input[at] == byte }

    mutating func put(_ byte: UInt8) {
        out[written] = byte
        written += 1
    }

    /// Records the host that has just been written, and where it stands in the input.
    mutating func setHost(from start: Int, written range: Range<Int>) {
        parts.pointee.host = SegmentRange(from: start, to: written)
        segments[0] = parts.pointee.host
        parts.pointee.writtenHost = SegmentRange(from: range.lowerBound, to: range.upperBound)
    }
}

/// The schemes that need a host, know IPv4 addresses and have a default port.
enum WebScheme {
    static func isWeb(_ scheme: UnsafeRawBufferPointer) -> Bool { defaultPort(scheme) != nil }

    /// Of a lower-case scheme.
    static func defaultPort(_ scheme: UnsafeRawBufferPointer) -> UInt16? {
        if scheme.elementsEqual("http".utf8) { return 80 }
        return scheme.elementsEqual("https".utf8) ? 443 : nil
    }
}
