/// An exported or imported set of URLs: a whole scheme (`app://`), one path (`app://items/new`), or what is below one
/// (`app://items/*`). It compares as the routes' patterns do.
struct URLPrefix {
    let scheme: String
    /// The host, then the path's segments, decoded.
    private let segments: [[UInt8]]
    private let isOpen: Bool

    /// Nil for any other text.
    init?(_ text: String) {
        guard URLPrefix.hasForm(text) else { return nil }
        let isBelow = text.utf8.suffix(2).elementsEqual("/*".utf8)
        let pattern = Array(text.utf8) + (isBelow ? Array("below".utf8) : [])
        guard let pattern = try? pattern.withUnsafeBytes({ bytes throws(CrosstieError) in try Pattern(bytes) }) else {
            return nil
        }
        let literals = isBelow ? pattern.segments.dropLast() : pattern.segments[...]
        guard literals.allSatisfy({ $0.kind == .literal }), !isBelow || pattern.segments.last?.kind == .rest else {
            return nil
        }
        scheme = String(decoding: pattern.text.prefix(pattern.schemeLength), as: UTF8.self)
        segments = literals.map { Array(pattern.bytes($0.literal)) }
        isOpen = isBelow || pattern.isFallback
    }

    /// Whether a text has the beginning of a URL.
    static func hasForm(_ text: String) -> Bool {
        let rest = text.utf8.drop { $0 != 0x3A }
        return rest.starts(with: "://".utf8)
    }

    /// Whether a URL of the scheme is one of these.
    func takes(_ url: [UnsafeRawBufferPointer]) -> Bool {
        guard isOpen && !segments.isEmpty ? url.count > segments.count : url.count >= segments.count,
            isOpen || url.count == segments.count
        else { return false }
        return zip(segments, url).allSatisfy { $0.elementsEqual($1) }
    }
}
