import Testing

@testable import Crosstie

private let single: [(String, String, [String]?)] = [
    ("app://users/me", "app://users/me", []),
    ("app://users/me", "APP://USERS/me", []),
    ("app://users/me", "app://users/Me", nil),
    ("app://users/me", "app://users/me/", []),
    ("app://users/me/", "app://users/me", []),
    ("app://users/me", "app://users/me//", nil),
    ("app://users/me", "app://users", nil),
    ("app://users/me", "app://users/me/x", nil),
    ("app://users/me", "app2://users/me", nil),
    ("app://users/me", "app://users:80/me", nil),
    ("app://users/me", "app://users/%6De?x#y", []),
    ("http://h/x", "http://h:8080/x", nil),
    ("http://h/x", "http://h:80/x", []),
    ("http://h/x", "http://h:443/x", nil),
    ("https://h/x", "https://h:443/x", []),
    ("https://h/x", "https://h:8443/x", nil),
    ("https://", "https://h:8443/x", nil),
    ("https://:h/*r", "https://h:8443/x", nil),
    ("app://h", "app://h", []),
    ("app://h", "app://h/?x", []),
    ("app:///", "app:///", []),
    ("app:///", "app:/", []),
    ("app:///", "app://h", nil),
    ("app:///cb", "app:/cb", []),
    ("app:///cb", "app://cb", nil),
    ("app://:h/cb", "app:///cb", nil),
    ("app://~/cb", "app:///cb", nil),
    ("app://:module/list", "app://ProductVC/list", ["ProductVC"]),
    ("app://:h.example.com/x", "app://Shop.Example.COM/x", ["Shop"]),
    ("app://:h.example.com/x", "app://.example.com/x", nil),
    ("app://:h<int>/x", "app://42/x", ["42"]),
    ("app://:h<int>/x", "app://a42/x", nil),
    ("app://:h/x", "http://[::0:1]/x", nil),
    ("http://:h/x", "http://[::0:1]/x", ["[::0:1]"]),
    ("app://h/:id", "app://h/a%20b", ["a b"]),
    ("app://h/:id", "app://h/%41%2541", ["A%41"]),
    ("app://h/:id", "app://h//", nil),
    ("app://h/:id", "app://h/a%2Fb", nil),
    ("app://h/:id", "app://h/a%5Cb", nil),
    ("app://h/~", "app://h/a%2Fb", nil),
    ("app://h/:id.b", "app://h/a%2Fa.b", nil),
    ("app://h/:id<any>", "app://h/a%2Fb%5C", ["a/b\\"]),
    ("app://h/:id<any>", "app://h//", nil),
    ("app://h/*rest", "app://h/a%2Fb", nil),
    ("app://h/*rest", "app://h/a/b%2Fc", nil),
    ("app://h/:a<any>/*rest", "app://h/a%2Fb/c/d", ["a/b", "c/d"]),
    ("app://h/:id.html", "app://h/x.html", ["x"]),
    ("app://h/:id.html", "app://h/x.html.html", ["x.html"]),
    ("app://h/:id.html", "app://h/.html", nil),
    ("app://h/:id.html", "app://h/x.HTML", nil),
    ("app://h/:id.html", "app://h/x", nil),
    ("app://h/:id<bool>", "app://h/true", ["true"]),
    ("app://h/:id<uint>", "app://h/-1", nil),
    ("app://h/:id<int>", "app://h/-1", ["-1"]),
    ("app://h/:id<float>", "app://h/-1.5", ["-1.5"]),
    ("app://h/:id<word>", "app://h/a-b_1", ["a-b_1"]),
    ("app://h/:id<word>", "app://h/a.b", nil),
    ("app://h/~/x", "app://h/a/x", []),
    ("app://h/*rest", "app://h/a/b/c", ["a/b/c"]),
    ("app://h/*rest", "app://h/a/b/c/", ["a/b/c"]),
    ("app://h/*rest", "app://h/a//c//", ["a//c/"]),
    ("app://h/*rest", "app://h//", nil),
    ("app://h/*rest", "app://h//a", nil),
    ("app://h/:a<bool>/*rest", "app://h/true//etc", nil),
    ("app://:h<bool>/x", "app://TRUE/x", ["true"]),
    ("app://[0::1]/a%20b", "app://[::1]/a%20b", []),
    ("app://h/:a%3A", "app://h/x:", ["x"]),
    ("app://h/:a<float>", "app://h/1e400", nil),
    ("app://h/:a<uint>", "app://h/9223372036854775808", nil),
    ("app://h/*rest", "app://h/", nil),
    ("app://h/*rest", "app://h", nil),
    ("app://h/*rest", "app://h/a%20b/%C3%A9", ["a b/é"]),
    ("app://h/a/:b/*rest", "app://h/a/b/c/d", ["b", "c/d"]),
    ("app://h/日本", "app://h/%E6%97%A5%E6%9C%AC", []),
    ("app://h/0123456789abcdef", "app://h/0123456789abcdef", []),
    ("app://h/0123456789abcdefg", "app://h/0123456789abcdefg", []),
    ("app://h/0123456789abcdefg", "app://h/0123456789abcdefh", nil),
    ("app://h/0123456789abcdefg", "app://h/0123456789abcdef", nil),
    ("app://", "app://h/a/b", []),
    ("app://", "app://", []),
    ("app://", "app:///x", []),
    ("app://", "app://h/a%2Fb", []),
    ("app://", "app://h:1/x", nil),
    ("app://", "app:opaque", nil),
    ("app://", "apple://x", nil),
]

@Suite struct RouteTableTests {
    @Test(arguments: single)
    func oneRoute(pattern: String, url: String, captures: [String]?) throws {
        let match = try RouteFixture([pattern]).match(url)
        #expect(match?.captures == captures, "\(pattern) \(url)")
    }

    @Test(
        arguments: [
            ("app://h/x.a.b", [":p.a.b", ":p.b", ":p", "~", ":p<any>", "*r"]),
            ("app://h/1", ["1", ":p<uint>", ":p<int>", ":p<float>", ":p<word>", ":p", "~", ":p<any>", "*r"]),
            ("app://h/true", [":p<bool>", ":p<word>", ":p", "~", ":p<any>", "*r"]),
            ("app://h/01234567-89ab-cdef-0123-456789abcdef", [":p<uuid>", ":p<word>", ":p", "~", ":p<any>", "*r"]),
            ("app://h/a%2Fb", [":p<any>"]),
        ] as [(String, [String])])
    func precedence(url: String, order: [String]) throws {
        let all = [
            "*r", ":p<any>", "~", ":p", ":p<word>", ":p<float>", ":p<int>", ":p<uint>", ":p<bool>", ":p<uuid>", ":p.b",
            ":p.a.b", "1",
        ]
        let expected = order.map { "app://h/" + $0 } + ["app://"]
        for patterns in [all, all.reversed()] {
            let fixture = try RouteFixture(["app://"] + patterns.map { "app://h/" + $0 })
            #expect(fixture.matches(url) == expected)
        }
    }

    @Test func theLeftmostSegmentDecides() throws {
        let fixture = try RouteFixture(["app://h/:a/b/c", "app://h/a/:b/:c", "app://h/a/:b/c", "app://:h/a/b/c"])
        #expect(
            fixture.matches("app://h/a/b/c")
                == ["app://h/a/:b/c", "app://h/a/:b/:c", "app://h/:a/b/c", "app://:h/a/b/c"])
    }

    @Test func backtracking() throws {
        let fixture = try RouteFixture(["app://user/me", "app://user/:id/post/:pid", "app://user/:id<word>/x"])
        #expect(
            fixture.match("app://user/me/post/7") == .init(pattern: "app://user/:id/post/:pid", captures: ["me", "7"]))
        #expect(fixture.match("app://user/me")?.captures == [])
        #expect(fixture.match("app://user/me/post") == nil)
        #expect(fixture.match("app://user/me/x")?.captures == ["me"])
    }

    @Test func conflictsAndReplacement() throws {
        let fixture = try RouteFixture([
            "app://a/:x", "app://a/*x", "app://a/~", "app://", "app://a/:x.b", "app://a/:x<int>",
        ])
        #expect(try fixture.add("app://a/:y") == .conflict(1))
        #expect(try fixture.add("app://a/*y") == .conflict(2))
        #expect(try fixture.add("app://a/~") == .conflict(3))
        #expect(try fixture.add("APP://") == .conflict(4))
        #expect(try fixture.add("app://A/:y.b") == .conflict(5))
        #expect(try fixture.add("app://a/:y<int>/") == .conflict(6))
        #expect(try fixture.add("app://a/:y<uint>") == .inserted)
        #expect(try fixture.add("app://a/:z", replacing: true) == .replaced(1))
        #expect(try fixture.add("app://a/*z", replacing: true) == .replaced(2))
        #expect(fixture.match("app://a/q")?.pattern == "app://a/:z")
        #expect(fixture.match("app://a/q/r")?.pattern == "app://a/*z")
    }

    @Test func removalLeavesDeeperRoutes() throws {
        let all = [
            "app://a", "app://a/b", "app://a/b/c", "app://a/:p", "app://a/*r", "app://a/:p/c", "app://", "app://a/:p.x",
        ]
        for removed in all {
            let fixture = try RouteFixture(all)
            #expect(try fixture.remove(removed) == removed)
            #expect(try fixture.remove(removed) == nil)
            #expect(fixture.table.value(of: try makePattern(removed)) == nil)
            for other in all where other != removed {
                #expect(fixture.table.value(of: try makePattern(other)) != nil, "\(removed) took \(other)")
            }
            #expect(try fixture.add(removed) == .inserted)
        }
    }

    @Test func removedRoutesAreForgottenInTheEnd() throws {
        let fixture = try RouteFixture()
        for round in 0..<2_000 {
            _ = try fixture.add("app://host\(round)/a/:b/some-very-long-literal-\(round)/:c.html")
            #expect(try fixture.remove(fixture.patterns[round]) != nil)
        }
        #expect(fixture.table.memory < 20_000)
    }

    @Test func removedAlternativesAreForgottenInTheEnd() throws {
        let fixture = try RouteFixture(["app://h/a"])
        for round in 0..<2_000 {
            _ = try fixture.add("app://h/:p.suffix\(round)")
            #expect(try fixture.remove("app://h/:p.suffix\(round)") != nil)
        }
        #expect(fixture.table.memory < 20_000)
        #expect(fixture.matches("app://h/a") == ["app://h/a"])
    }

    @Test func schemes() throws {
        let fixture = try RouteFixture()
        func has(_ url: String) -> Bool { fixture.hasScheme(url) }
        #expect(!has("app://x"))
        _ = try fixture.add("app://a/b")
        #expect(has("app://x") && has("app:opaque") && !has("other://a/b"))
        _ = try fixture.add("app://")
        _ = try fixture.remove("app://a/b")
        #expect(has("app://x"))
        _ = try fixture.remove("app://")
        #expect(!has("app://x"))
        _ = try fixture.add("x://")
        #expect(has("x://y"))
        _ = try fixture.add("x://a/*r")
        _ = try fixture.remove("x://")
        #expect(has("x://y"))
        _ = try fixture.remove("x://a/*r")
        #expect(!has("x://y"))
    }

    @Test func manyRoutes() throws {
        let patterns = (0..<5_000).map { "app://h\($0 % 7)/item\($0)/:id/very-long-segment-name-\($0 % 13)" }
        let fixture = try RouteFixture(patterns)
        for pattern in patterns {
            let url = pattern.split(separator: ":id").joined(separator: "value")
            #expect(fixture.match(url) == .init(pattern: pattern, captures: ["value"]))
        }
        #expect(fixture.moves < 20)
        #expect(fixture.match("app://h0/item1/x/very-long-segment-name-0") == nil)
    }

    @Test func upperCaseUUIDs() throws {
        let fixture = try RouteFixture(["app://:h<uuid>/:a<uuid>/:b"])
        let (upper, lower) = ("0123ABCD-89AB-CDEF-0123-456789ABCDEF", "0123abcd-89ab-cdef-0123-456789abcdef")
        let match = fixture.match("app://\(upper)/\(upper)/\(upper)")
        #expect(match?.captures == [lower, lower, upper])
        #expect(fixture.match("app://\(lower)/\(lower)/x")?.captures == [lower, lower, "x"])
        let tight = ParsedURL("app://\(lower)/\(upper)/x", capacity: 110)
        let (result, _) = fixture.result(tight)
        #expect(result.outcome == .needsRoom && result.value > 110)
    }

    @Test func sixtyFourCaptures() throws {
        let fixture = try RouteFixture(["app://h/" + (0..<64).map { ":p\($0)" }.joined(separator: "/")])
        #expect(fixture.match("app://h/" + (0..<64).map(String.init).joined(separator: "/"))?.captures.count == 64)
    }

    @Test func valuesAreChecked() throws {
        let fixture = try RouteFixture()
        let pattern = try makePattern("app://x")
        for value in [0, RouteTable.maximumValue + 1] {
            #expect(throws: CrosstieError.self) { try fixture.table.insert(pattern, value: value, grace: {}) }
        }
        #expect(try fixture.table.insert(pattern, value: RouteTable.maximumValue, grace: {}) == .inserted)
        withExtendedLifetime(fixture) {}
    }
}
