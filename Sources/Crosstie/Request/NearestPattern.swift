/// A search for the pattern that is most like a URL: the one that takes most of the URL's first bytes.
struct NearestPattern {
    /// Patterns that are looked at, so that the words for one URL stay cheap on a bus with many routes.
    static var maximumCount: Int { 1000 }

    private let url: UnsafeRawBufferPointer
    /// Bytes that belong to the scheme, with `://`. A pattern that shares no more is not near.
    private let start: Int
    private var best: (likeness: Int, pattern: String)

    init(url: UnsafeRawBufferPointer, scheme: Int) {
        self.url = url
        start = scheme + 3
        best = (start, "")
    }

    /// Nil where none is near.
    var text: String? { best.likeness > start ? best.pattern : nil }

    mutating func look(at match: RegistrationRecord.Pointer, isLocal: Bool) {
        guard let pattern = match.anyPattern, isLocal || match.pointee.isPublic else { return }
        let likeness = likeness(of: pattern.text)
        guard likeness >= best.likeness else { return }
        let text = String(decoding: pattern.text, as: UTF8.self)
        if likeness > best.likeness || text < best.pattern { best = (likeness, text) }
    }

    /// The number of the URL's bytes that a pattern takes from the start on, in any case of letters.
    private func likeness(of pattern: UnsafeRawBufferPointer) -> Int {
        // One that begins with a slash has no scheme and no host.
        var (at, position) = (0, pattern.first == 0x2F ? min(start, url.count) : 0)
        while at < pattern.count, position < url.count {
            let byte = pattern[at]
            if at > 0, pattern[at - 1] == 0x2F, byte == 0x3A || byte == 0x7E || byte == 0x2A {
                guard byte != 0x2A else { return url.count }
                at = segmentEnd(pattern, at)
                position = segmentEnd(url, position)
            } else if byte | 0x20 == url[position] | 0x20 {
                at += 1
                position += 1
            } else {
                break
            }
        }
        return position
    }

    private func segmentEnd(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        text[start...].firstIndex(of: 0x2F) ?? text.count
    }
}
