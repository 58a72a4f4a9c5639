import Testing

@testable import Crosstie

@Suite struct RouteTableNearestTests {
    private static let one: [(String, String, [String]?, Int?)] = [
        ("app://a/b", "app://a/b", [], nil),
        ("app://a/b", "app://a/b/c/d", [], 2),
        ("app://a/b", "app://a/b/c/d/", [], 2),
        ("app://a/b", "app://a/b//", [], 2),
        ("app://a/b", "app://a/bc/d", nil, nil),
        ("app://a/b", "app://a", nil, nil),
        ("app://a", "app://a/b/c", [], 1),
        ("app://a", "app://ab/b/c", nil, nil),
        ("app:///", "app:///b/c", [], 1),
        ("app:///", "app://a/b", nil, nil),
        ("app:///a", "app:/a/b/c", [], 2),
        ("app://", "app://a/b", [], 0),
        ("app://", "app2://a/b", nil, nil),
        ("app://a/:id", "app://a/b%20c/d", ["b c"], 2),
        ("app://a/:id", "app://a//d", nil, nil),
        ("app://a/:id", "app://a/b%2Fc/d", nil, nil),
        ("app://a/:id", "app://a/b/c%2Fd", ["b"], 2),
        ("app://a/:id<any>", "app://a/b%2Fc/d", ["b/c"], 2),
        ("app://a/:id.html/:n<int>", "app://a/x.html/7/y", ["x", "7"], 3),
        ("app://:h/x", "app://Shop/x/y", ["Shop"], 2),
        ("app://a/*rest", "app://a/b/c", ["b/c"], nil),
        ("app://a/*rest", "app://a/b/c%2Fd/e", ["b"], 2),
        ("app://a/*rest", "app://a/b/c/d%5C", ["b/c"], 3),
        ("app://a/*rest", "app://a/b%2Fc/d", nil, nil),
        ("app://a/b/*rest", "app://a/b", nil, nil),
        ("http://h/x", "http://h:8080/x/y", nil, nil),
        ("app://a/b", "app:a/b/c", nil, nil),
    ]

    @Test(arguments: one)
    func oneRoute(pattern: String, url: String, captures: [String]?, taken: Int?) throws {
        let match = try RouteFixture([pattern]).match(url, nearest: true)
        #expect(match == captures.map { .init(pattern: pattern, captures: $0, taken: taken) }, "\(pattern) \(url)")
    }

    @Test func theLongestLeadingPartWins() throws {
        let all = [
            "app://", "app://a", "app://a/b", "app://a/:p", "app://a/~/c", "app://a/:p<word>", "app://:h/b/c/d",
            "app://a/b/*rest", "app://a/x/*rest",
        ]
        for patterns in [all, all.reversed()] {
            let fixture = try RouteFixture(patterns)
            #expect(
                fixture.matches("app://a/b/c/d", nearest: true) == [
                    "app://a/b/*rest", "app://:h/b/c/d", "app://a/~/c", "app://a/b", "app://a/:p<word>", "app://a/:p",
                    "app://a", "app://",
                ])
            #expect(fixture.matches("app://a/b/c/d") == ["app://a/b/*rest", "app://:h/b/c/d", "app://"])
            #expect(
                fixture.matches("app://a/q/c/d", nearest: true) == [
                    "app://a/~/c", "app://a/:p<word>", "app://a/:p", "app://a", "app://",
                ])
        }
    }

    @Test func theExactModeKnowsNoAncestors() throws {
        let fixture = try RouteFixture(["app://a", "app://a/:p"])
        #expect(fixture.match("app://a/b/c") == nil)
        #expect(fixture.result(ParsedURL("app://a/b")).0.matchedSegments == 2)
    }

    @Test func removedRoutesAreNoAncestors() throws {
        let fixture = try RouteFixture(["app://a", "app://a/b", "app://a/b/c/d"])
        _ = try fixture.remove("app://a/b")
        #expect(fixture.match("app://a/b/c", nearest: true)?.pattern == "app://a")
    }

    @Test func upperCaseUUIDsOfAnAncestor() throws {
        let fixture = try RouteFixture(["app://a/:x<uuid>", "app://a/:x<uuid>/b/:y<uuid>/c"])
        let upper = "0123ABCD-89AB-CDEF-0123-456789ABCDEF"
        #expect(fixture.match("app://a/\(upper)/b/\(upper)/d", nearest: true)?.captures == [upper.lowercased()])
    }

    @Test func sixtyFourSegments() throws {
        let path = (0..<64).map { "s\($0)" }
        let fixture = try RouteFixture((0...64).map { "app://h/" + path[..<$0].joined(separator: "/") })
        let url = "app://h/" + path.joined(separator: "/")
        for skip in 0...64 {
            let match = fixture.match(url, skip: skip, nearest: true)
            #expect(
                match == .init(pattern: fixture.patterns[64 - skip], captures: [], taken: skip == 0 ? nil : 65 - skip))
        }
        #expect(fixture.match(url, skip: 65, nearest: true) == nil)
    }
}
