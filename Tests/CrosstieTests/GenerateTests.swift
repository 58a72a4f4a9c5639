import Testing

@testable import Crosstie

@Suite struct GenerateTests {
    @Test(
        arguments: [
            ("app://users/:id", ["42"], "app://users/42"),
            ("app://users/:id", ["a b/é".replacing("/", with: "-")], "app://users/a%20b-%C3%A9"),
            ("app://users/:id", ["%41?#"], "app://users/%2541%3F%23"),
            ("app://h/:id<any>", ["a/b\\c"], "app://h/a%2Fb%5Cc"),
            ("app://h/:id.html", ["x.html"], "app://h/x.html.html"),
            (
                "app://h/:id<uuid>", ["0123ABCD-89AB-CDEF-0123-456789ABCDEF"],
                "app://h/0123abcd-89ab-cdef-0123-456789abcdef"
            ),
            ("app://:module/list", ["ProductVC"], "app://ProductVC/list"),
            ("app://:h.example.com/x", ["Shop"], "app://Shop.example.com/x"),
            ("app://h/*rest", ["a/b c/d"], "app://h/a/b%20c/d"),
            ("app://h/*rest", ["a/"], "app://h/a//"),
            ("app://h/*rest", ["a//b"], "app://h/a//b"),
            ("app://h/a%20b%3A/:id%28%29", ["x:"], "app://h/a%20b%3A/x:%28%29"),
            ("app://[0::1]/:id", ["x"], "app://[::1]/x"),
            ("app://h", [], "app://h/"),
            ("app:///", [], "app:///"),
            ("app:///cb/:x", ["y"], "app:///cb/y"),
            ("app://h/日本/:x<int>", ["-7"], "app://h/%E6%97%A5%E6%9C%AC/-7"),
            ("app://h/:x", ["!$&'()*+,;=:@"], "app://h/!$&'()*+,;=:@"),
            ("app://h/:x", ["..."], "app://h/..."),
        ] as [(String, [String], String)])
    func generates(pattern: String, values: [String], expected: String) throws {
        let parsed = try makePattern(pattern)
        let url = try parsed.generate(positional: values)
        #expect(url == expected)
        let lowered = pattern.contains("uuid") ? values.map { $0.lowercased() } : values
        #expect(try RouteFixture([pattern]).match(url)?.captures == lowered)
    }

    @Test(
        arguments: [
            ("app://u/:id", ["": ""], "id"), ("app://u/:id", ["id": "1", "x": "2"], "x"),
            ("app://u/:id", ["id": ""], "id"),
            ("app://u/:id", ["id": "a/b"], "id"), ("app://u/:id", ["id": "a\\b"], "id"),
            ("app://u/:id", ["id": "."], "id"),
            ("app://u/:id", ["id": ".."], "id"), ("app://u/:id", ["id": "a\n"], "id"),
            ("app://u/:id", ["id": "\u{0}"], "id"),
            ("app://u/:id<int>", ["id": "x"], "id"), ("app://u/:id.", ["id": "."], "id"),
            ("app://:h/x", ["h": "a b"], "h"),
            ("app://:h/x", ["h": "a."], "h"), ("http://:h/x", ["h": "1.2"], "h"), ("app://u/*r", ["r": "a/../b"], "r"),
            ("app://u/*r", ["r": "a\\b"], "r"), ("app://u/:a/:b", ["a": "1"], "b"), ("app://u/x", ["x": "1"], "x"),
        ] as [(String, [String: String], String)])
    func refuses(pattern: String, params: [String: String], name: String) throws {
        let parsed = try makePattern(pattern)
        let error = #expect(throws: CrosstieError.self) {
            try parsed.generate(named: params.map { (name: $0.key, value: $0.value) })
        }
        #expect(error?.status == .invalidParameter)
        #expect(error?.location == name)
    }

    @Test func countsPositions() throws {
        let pattern = try makePattern("app://u/:a/:b")
        let missing = #expect(throws: CrosstieError.self) { try pattern.generate(positional: ["1"]) }
        #expect(missing?.location == "b")
        let surplus = #expect(throws: CrosstieError.self) { try pattern.generate(positional: ["1", "2", "3"]) }
        #expect(surplus?.status == .invalidParameter)
        let twice = #expect(throws: CrosstieError.self) {
            try pattern.generate(named: [("a", "1"), ("a", "2"), ("b", "3")])
        }
        #expect(twice?.location == "a")
    }

    @Test func wildcardsMakeNoURL() throws {
        for pattern in ["app://u/~", "app://"] {
            let error = #expect(throws: CrosstieError.self) { try makePattern(pattern).generate(positional: []) }
            #expect(error?.status == .invalidParameter)
        }
    }

    @Test func queries() throws {
        let url = try makePattern("app://u/:id").generate(
            named: [("id", "1")], query: [("a b", "c&d=e"), ("a b", "é+")])
        #expect(url == "app://u/1?a%20b=c%26d%3De&a%20b=%C3%A9%2B")
        #expect(ParsedURL(url).pairs == ["a b=c&d=e", "a b=é+"])
    }

    @Test func limits() throws {
        let pattern = try makePattern("app://u/*r")
        for value in [String(repeating: "a", count: 9_000), String(repeating: "a/", count: 64)] {
            let error = #expect(throws: CrosstieError.self) { try pattern.generate(positional: [value]) }
            #expect(error?.status == .limitExceeded)
        }
    }
}
