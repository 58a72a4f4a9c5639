@testable import Crosstie

/// Patterns, a line each; an empty line; URLs, a line each. Over any table a URL takes the routes that the rules
/// of matching give it, spelled out for one pattern at a time, in that order.
enum MatchTarget {
    private static let patternLimit = 16
    private static let urlLimit = 8

    static func run(_ input: UnsafeRawBufferPointer) {
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        let middle = lines.firstIndex { $0.isEmpty } ?? lines.endIndex
        let patterns = lines[..<middle].prefix(patternLimit).compactMap(pattern)
        let urls = lines[middle...].dropFirst().prefix(urlLimit)
            .map { FuzzedURL(Array($0)) }.filter(\.isParsed)
        guard let first = FuzzedTable(), let second = FuzzedTable() else { return }
        for pattern in patterns { first.insert(pattern) }
        for url in urls { check(url, first) }
        for route in first.routes.sorted(by: { $0.key > $1.key }) { second.insert(route.value.pattern) }
        for url in urls { second.check(url) }
        removeAndReturn(first, urls)
    }

    /// A pattern's text is a pattern again, and the same.
    private static func pattern(_ line: Slice<UnsafeRawBufferPointer>) -> Pattern? {
        let scheme = Array("app".utf8)
        let parsed = scheme.withUnsafeBytes { scheme in
            try? Pattern(UnsafeRawBufferPointer(rebasing: line), defaultScheme: scheme)
        }
        guard let parsed else { return nil }
        let again = parsed.text.withUnsafeBytes { try? Pattern($0) }
        demand(again?.text == parsed.text, "the text of a pattern is none: \(shown(parsed.text))")
        demand(
            again.map(Matching.shape) == Matching.shape(parsed), "the text of \(shown(parsed.text)) is another pattern")
        return parsed
    }

    /// Every other route goes and comes back; the others do not notice.
    private static func removeAndReturn(_ table: FuzzedTable, _ urls: [FuzzedURL]) {
        let leaving = table.routes.filter { $0.key % 2 == 0 }
        for (value, route) in leaving.sorted(by: { $0.key < $1.key }) { table.remove(route.pattern, value: value) }
        for url in urls { table.check(url) }
        for route in leaving.sorted(by: { $0.key < $1.key }) { table.insert(route.value.pattern) }
        for url in urls { table.check(url) }
    }

    private static func check(_ url: FuzzedURL, _ table: FuzzedTable) {
        for match in table.check(url) {
            guard let pattern = table.routes[match.value]?.pattern else { continue }
            checkGenerated(pattern, match.captures, url)
        }
    }

    /// The captures of a pattern make a URL with the same captures.
    private static func checkGenerated(_ pattern: Pattern, _ captures: [[UInt8]], _ url: FuzzedURL) {
        let values = captures.map { String(decoding: $0, as: UTF8.self) }
        let query = url.pairs.map {
            (String(decoding: $0.key, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        }
        let makesNone = pattern.isFallback || pattern.segments.contains { $0.kind == .skip }
        do throws(CrosstieError) {
            let text = try pattern.generate(positional: values, query: query)
            demand(!makesNone, "\(shown(pattern.text)) makes \(text)")
            let made = FuzzedURL(Array(text.utf8))
            demand(made.isParsed, "\(shown(pattern.text)) with \(values) makes \(text), which is \(made.result)")
            demand(Matching.captures(pattern, made) == captures, "\(shown(pattern.text)) with \(values) makes \(text)")
            demand(made.pairs.elementsEqual(url.pairs) { $0.key == $1.key && $0.value == $1.value }, "pairs of \(text)")
        } catch {
            demand(makesNone || error.status == .limitExceeded, "\(shown(pattern.text)) refuses \(values): \(error)")
        }
    }
}
