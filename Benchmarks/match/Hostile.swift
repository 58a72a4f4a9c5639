import Crosstie
import Glibc

/// Tables and URLs made to keep the matcher busy for as long as possible: the worst cost of one match.
enum Hostile {
    /// Routes and a URL.
    typealias Case = (routes: [String], url: String)

    static var cases: [Case] {
        [
            (branches(depth: 13), "/h/" + repeated("a", 13) + "miss"),
            (
                branches(depth: 13).flatMap { [$0, "\($0)/deeper/:x/end"] },
                "/h/" + repeated("a", 13) + "end/deeper/x/miss"
            ),
            (branches(depth: 17).shuffled(), "/h/" + repeated("a", 17) + "miss"),
            (typed(segments: 4), "/h/" + repeated(String(repeating: "7", count: 63), 4) + "miss"),
            (typed(segments: 4), "/h/" + repeated(String(repeating: "7", count: 127), 4) + "miss"),
            (typed(segments: 4), "/h/" + repeated("7", 4) + "miss"),
            ((0..<10_000).map { "/h/:p.suffix\($0)" }, "/h/something.suffix"),
            ((0..<10_000).map { "/h/:p" + String(repeating: "-", count: 700) + "\($0)" }, "/h/" + long(2_000, "-")),
            ((0..<10_000).map { "/h/shared-prefix-of-all-\($0)/:p" }, "/h/shared-prefix-of-all-1/x/miss"),
            ((1...61).flatMap(ladder), "/h/" + (0..<64).map { _ in long(120, "a") }.joined(separator: "/")),
        ]
    }

    /// Every combination of a literal and a parameter.
    private static func branches(depth: Int) -> [String] {
        (0..<(1 << depth)).map { bits in
            "/h/" + (0..<depth).map { bits >> $0 & 1 == 0 ? "a" : ":p\($0)" }.joined(separator: "/") + "/end"
        }
    }

    /// Every combination of ten ways to take a number.
    private static func typed(segments: Int) -> [String] {
        let ways = ["<uint>", "<int>", "<float>", "<word>", "<any>", "", "7", "77", "777", "~"]
        return (0..<10_000).map { number in
            var (path, rest) = ("/h", number)
            for segment in 0..<segments {
                let way = ways[rest % 10]
                path += way == "~" ? "/~" : "/:p\(segment)\(way)"
                rest /= 10
            }
            return path + "/end"
        }
    }

    /// For each number of segments the ways to take them that end there.
    private static func ladder(_ count: Int) -> [String] {
        let steps = (0..<count).map { ":p\($0)<word>" }.joined(separator: "/")
        return ["/h/\(steps)", "/h/\(steps)/~/x", "/h/\(steps)/:q<any>/y", "/h/\(steps)/:q/z"]
    }

    private static func repeated(_ segment: String, _ count: Int) -> String {
        String(repeating: segment + "/", count: count)
    }

    private static func long(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    /// The longest that one match took, each at its best of several.
    static func worst() throws -> Double {
        var worst = 0.0
        for (routes, url) in cases {
            guard let table = try makeTable(routes) else { continue }
            let urls = URLs([url])
            guard urls.parse(0, from: 0) else { return .infinity }
            for nearest in [false, true] {
                var best = Double.infinity
                for _ in 0..<rounds {
                    let begin = now()
                    _ = urls.match(0, in: table, nearest: nearest)
                    best = min(best, now() - begin)
                }
                worst = max(worst, best)
            }
            table.destroy()
        }
        return worst
    }
}
