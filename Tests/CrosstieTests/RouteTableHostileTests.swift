import Testing

@testable import Crosstie

/// Tables and URLs made to keep the matcher busy. The steps are counted, never the time.
@Suite struct RouteTableHostileTests {
    /// Beyond the budget a search goes by at most what one long text costs.
    private static let bound = RouteSearch.budget + URLLimits.url / 64 + 1

    /// Every combination of a literal and a parameter.
    private static func branches(_ depth: Int, then end: String) -> [String] {
        (0..<(1 << depth)).map { bits in
            "app://h/" + (0..<depth).map { bits >> $0 & 1 == 0 ? "a" : ":p\($0)" }.joined(separator: "/") + end
        }
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test func branchesAreBounded() throws {
        let fixture = try RouteFixture(Self.branches(13, then: "/end"))
        let url = "app://h/" + Self.repeated("a/", 13)
        #expect(fixture.result(ParsedURL(url + "miss")).0.outcome == .limit)
        #expect(fixture.result(ParsedURL(url + "miss"), nearest: true).0.outcome == .limit)
        #expect(fixture.result(ParsedURL(url + "end")).0.outcome == .found)
        #expect(fixture.result(ParsedURL(url + "end"), nearest: true).0.outcome == .found)
        #expect(fixture.result(ParsedURL(url + "end"), skip: 20_000).0.outcome == .limit)
        for nearest in [false, true] { #expect(fixture.steps(url + "miss", nearest: nearest) <= Self.bound) }
    }

    /// A rule's demo that takes too long is named, with the number of steps.
    @Test func aRulesURLIsNamed() throws {
        let fixture = try RouteFixture(Self.branches(13, then: "/end"))
        let url = RuleURL()
        try Array(("app://h/" + Self.repeated("a/", 13) + "miss").utf8).withBytes { bytes throws(CrosstieError) in
            try url.parse(bytes)
        }
        let error = #expect(throws: CrosstieError.self) { try url.match(fixture.table) }
        #expect(error?.status == .limitExceeded)
        #expect(
            error?.message == """
                matching app://h/\(Self.repeated("a/", 13))miss takes more than 10000 steps: too many patterns are alike
                """)
    }

    /// One budget holds for the whole of a search, however many leading parts of the URL it tries.
    @Test func ancestorsShareTheBudget() throws {
        let ends = ["", "/x", "/x/y", "/x/y/z", "/:q/~/:r/s"]
        let fixture = try RouteFixture(ends.flatMap { Self.branches(9, then: $0) })
        let url = "app://h/" + Self.repeated("a/", 8) + "b/b/b/b/b"
        #expect(fixture.steps(url, nearest: true) <= Self.bound)
        #expect(fixture.steps(url, nearest: false) <= Self.bound)
    }

    @Test func longListsAreBounded() throws {
        let fixture = try RouteFixture((0..<3_000).map { "app://h/:p.\($0)/:q.\($0)" } + ["app://h/:p/x"])
        #expect(fixture.steps("app://h/a.2999/b", nearest: true) <= Self.bound)
        #expect(fixture.match("app://h/a.2999/b.2999")?.captures == ["a", "b"])
        #expect(fixture.match("app://h/a.3000/x")?.captures == ["a.3000"])
    }

    /// Comparing long texts counts as more than a step.
    @Test func longTextsAreCounted() throws {
        let dashes = Self.repeated("-", 4_000)
        let fixture = try RouteFixture((0..<100).map { "app://h/:p\(dashes)\($0 + 1_000)" })
        let steps = fixture.steps("app://h/x\(dashes)9999", nearest: false)
        #expect(steps > 100 * 4_000 / 64 && steps <= Self.bound)
        let words = try RouteFixture((0..<100).map { "app://h/:p<word>/:q<word>/end\($0)" })
        #expect(words.steps("app://h/\(dashes)/\(dashes)/miss", nearest: false) > 2 * 4_000 / 64)
        let literals = try RouteFixture((1...50).map { "app://h/:p\(Self.repeated("-", $0))/end" })
        #expect(literals.steps("app://h/a\(Self.repeated("-", 50))/\(dashes)", nearest: false) > 50 * 4_000 / 64)
    }

    @Test func everyTypeAtEveryStep() throws {
        let ways = ["<uint>", "<int>", "<float>", "<word>", "<any>", ""]
        let fixture = try RouteFixture(
            (0..<1_296).map { number in
                var (path, rest) = ("app://h", number)
                for step in 0..<4 {
                    path += "/:p\(step)\(ways[rest % ways.count])"
                    rest /= ways.count
                }
                return path + "/end"
            })
        for digits in [1, 19, 63, 1_900] {
            let url = "app://h/" + Self.repeated(Self.repeated("7", digits) + "/", 4) + "miss"
            for nearest in [false, true] { #expect(fixture.steps(url, nearest: nearest) <= Self.bound) }
        }
    }

    @Test func manySiblingsAreOneStep() throws {
        let fixture = try RouteFixture((0..<3_000).map { "app://h/shared-prefix-of-all-\($0)/:p" })
        #expect(fixture.steps("app://h/shared-prefix-of-all-77/x/miss", nearest: false) < 10)
        #expect(fixture.match("app://h/shared-prefix-of-all-77/x")?.captures == ["x"])
    }

    @Test func longURLs() throws {
        let fixture = try RouteFixture(
            (1...61).flatMap { count in
                let steps = (0..<count).map { ":p\($0)<word>" }.joined(separator: "/")
                return [
                    "app://h/\(steps)", "app://h/\(steps)/~/x", "app://h/\(steps)/:q<any>/y", "app://h/\(steps)/*r",
                ]
            })
        let url = "app://h/" + (0..<64).map { _ in Self.repeated("a", 126) }.joined(separator: "/")
        #expect(fixture.steps(url + "-", nearest: true) <= Self.bound)
        #expect(fixture.matches(url).count == 61)
        // Each route that is passed over costs a walk of its own.
        #expect(fixture.matches(url, nearest: true).count > 61)
        #expect(
            fixture.result(ParsedURL(url, capacity: URLLimits.area), skip: 1_000, nearest: true).0.outcome == .limit)
    }
}
