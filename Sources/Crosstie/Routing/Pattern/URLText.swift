/// A URL while it is put together, escaped as its normal form is.
struct URLText {
    var bytes: [UInt8]

    init(scheme: ArraySlice<UInt8>) {
        bytes = scheme + [0x3A, 0x2F, 0x2F]
    }

    /// Adds the host, a segment or a rest: a value, and behind it the pattern's own text.
    mutating func add(
        _ value: [UInt8], literal: ArraySlice<UInt8>, of kind: PatternSegment.Kind, isHost: Bool
    ) {
        guard !isHost else {
            bytes += value + literal
            return
        }
        bytes.append(0x2F)
        add(value, plain: kind == .rest ? Self.isPathText : Self.isSegmentText)
        // Characters that a pattern must escape are escaped in the URL, too.
        add(literal) { Self.isSegmentText($0) && !PatternParser.isReserved($0) }
        // One trailing slash would be ignored.
        if kind == .rest, value.last == 0x2F { bytes.append(0x2F) }
    }

    mutating func add(query: [NamedText]) {
        for (index, pair) in query.enumerated() {
            bytes.append(index == 0 ? 0x3F : 0x26)
            add(Array(pair.name.utf8), plain: ASCII.isUnreserved)
            bytes.append(0x3D)
            add(Array(pair.value.utf8), plain: ASCII.isUnreserved)
        }
    }

    /// The URL, when parsing will not refuse it.
    func finished() throws(CrosstieError) -> String {
        if let failure = bytes.withUnsafeBytes(URLText.failure) {
            throw CrosstieError(
                failure.status == .limitExceeded ? .limitExceeded : .invalidParameter, failure.error.message)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func failure(_ url: UnsafeRawBufferPointer) -> ParseFailure? {
        withUnsafeTemporaryAllocation(of: SegmentRange.self, capacity: URLLimits.segments + 1) { segments in
            let area = UnsafeMutableRawPointer.allocate(byteCount: URLLimits.area, alignment: 16)
            defer { area.deallocate() }
            var parts = URLParts(area: area, capacity: URLLimits.area)
            guard let segments = segments.baseAddress,
                case .failed(let failure) = parseURL(
                    url, area: area, capacity: URLLimits.area, segments: segments, into: &parts)
            else { return nil }
            return failure
        }
    }

    private mutating func add(_ text: some Sequence<UInt8>, plain: (UInt8) -> Bool) {
        for byte in text {
            if plain(byte) {
                bytes.append(byte)
            } else {
                bytes += [0x25, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
            }
        }
    }

    /// RFC 3986's `pchar` without escapes.
    static func isSegmentText(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x24, 0x26...0x2C, 0x3A, 0x3B, 0x3D, 0x40: true
        default: ASCII.isUnreserved(byte)
        }
    }

    private static func isPathText(_ byte: UInt8) -> Bool { byte == 0x2F || isSegmentText(byte) }
}
