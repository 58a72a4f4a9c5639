@testable import Crosstie

/// Everything that a parsed URL says, its location in memory left out.
struct URLReading: Equatable {
    let normalForm: String?
    let parts: [String]
    let segments: [String]
    let pairs: [String]
    let port: UInt16
    let flags: URLParts.Flags
    let escapedSlashes: UInt64

    init(_ url: ParsedURL) {
        let all = url.parts
        normalForm = url.normalForm
        parts = [all.scheme, all.host, all.path, all.query, all.fragment].map(url.text)
        segments = url.segments
        pairs = url.pairs
        port = all.port
        // Whether the pairs had to be decoded is no property of the URL.
        flags = all.flags.subtracting(.decodedQuery)
        escapedSlashes = all.escapedSlashes
    }
}
