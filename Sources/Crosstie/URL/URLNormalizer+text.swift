internal import CPlatform

/// Path, query and fragment in normal form.
extension URLNormalizer {
    mutating func path() throws(ParseFailure) {
        let begin = written
        let opaque = parts.pointee.flags.contains(.opaque)
        if at == pathEnd, !opaque { put(0x2F) }
        if hasEscapes { try checkDecoded(upTo: pathEnd, controls: false) }
        if !opaque { try checkSegments() }
        try text(upTo: pathEnd)
        parts.pointee.path = SegmentRange(from: begin, to: written)
    }

    mutating func query() throws(ParseFailure) {
        guard starts(with: 0x3F) else { return }
        put(0x3F)
        at += 1
        if let surplus = Query.firstSurplusPair(UnsafeRawBufferPointer(rebasing: input[at..<queryEnd])) {
            throw ParseFailure(.tooManyPairs, at: at + surplus)
        }
        if hasEscapes { try checkDecoded(upTo: queryEnd, controls: true) }
        let begin = written
        try text(upTo: queryEnd)
        parts.pointee.query = SegmentRange(from: begin, to: written)
        parts.pointee.flags.insert(.query)
    }

    mutating func fragment() throws(ParseFailure) {
        guard starts(with: 0x23) else { return }
        put(0x23)
        at += 1
        // Parsers disagree about it, and a delimiter is never repaired.
        let second = find(0x23, before: input.count)
        guard second == input.count else { throw ParseFailure(.fragment, at: second) }
        let begin = written
        try text(upTo: input.count)
        parts.pointee.fragment = SegmentRange(from: begin, to: written)
        parts.pointee.flags.insert(.fragment)
    }

    /// Writes the text up to `end`: unreserved bytes plain, other escapes in upper case, odd bytes escaped.
    private mutating func text(upTo end: Int) throws(ParseFailure) {
        while true {
            try plainText(upTo: end)
            guard at < end else { return }
            let escaped = input[at] == 0x25
            let (byte, next) = URLBytes.decoded(input, at)
            if escaped, ASCII.isUnreserved(byte) { put(byte) } else { putEscape(of: byte) }
            guard written <= URLLimits.url else { throw ParseFailure(.normalFormTooLong, at: at) }
            at = next
        }
    }

    private mutating func plainText(upTo end: Int) throws(ParseFailure) {
        let run = URLBytes.plainRun(input, from: at, to: end)
        guard run > 0 else { return }
        put(input, at..<(at + run))
        at += run
        guard written <= URLLimits.url else {
            throw ParseFailure(.normalFormTooLong, at: at - (written - URLLimits.url))
        }
    }

    private mutating func putEscape(of byte: UInt8) {
        put(0x25)
        put(ASCII.hexDigit(byte >> 4))
        put(ASCII.hexDigit(byte & 15))
    }

    /// Checks what the text up to `end` decodes to. Delimiters are ASCII, so that text which is valid as a
    /// whole is valid piece by piece.
    func checkDecoded(upTo end: Int, controls: Bool) throws(ParseFailure) {
        var validator = UTF8Validator()
        var position = at
        var character = at
        while position < end {
            if validator.isComplete {
                position += URLBytes.plainRun(input, from: position, to: end)
                guard position < end else { return }
                character = position
            }
            let (byte, next) = URLBytes.decoded(input, position)
            guard isForeign || validator.take(byte) else { throw ParseFailure(.decodedUTF8, at: character) }
            guard controls || !ASCII.isControl(byte) else { throw ParseFailure(.control, at: position) }
            position = next
        }
        guard validator.isComplete else { throw ParseFailure(.decodedUTF8, at: character) }
    }

    /// Refuses `.`, `..`, however they are spelled, and more segments than are allowed.
    private func checkSegments() throws(ParseFailure) {
        var start = at + 1
        var count = 0
        while start < pathEnd {
            let stop = Self.find(0x2F, in: input, from: start, to: pathEnd)
            guard count < URLLimits.segments else { throw ParseFailure(.tooManySegments, at: start) }
            guard !isDots(start..<stop) else { throw ParseFailure(.dotSegment, at: start) }
            count += 1
            start = stop + 1
        }
    }

    private func isDots(_ range: Range<Int>) -> Bool {
        var (position, dots) = (range.lowerBound, 0)
        while position < range.upperBound {
            let (byte, next) = URLBytes.decoded(input, position)
            guard byte == 0x2E else { return false }
            (position, dots) = (next, dots + 1)
        }
        return dots == 1 || dots == 2
    }
}
