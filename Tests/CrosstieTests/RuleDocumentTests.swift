import Testing

@testable import Crosstie

@Suite struct RuleDocumentTests {
    @Test func indexesFindEveryRule() throws {
        let document = try readRules(
            .document([
                .rule("one", "/one", ["target": "T"]), .rule("two", "/two", ["host": "other", "target": "U"]),
                .rule("three", "/three", ["target": "T"]), .rule("four", "/four", ["host": ""]),
            ]))
        #expect(["one", "two", "three", "four", "five", ""].map(document.index(ofId:)) == [0, 1, 2, 3, nil, nil])
        #expect(["T", "U", "t", ""].map(document.index(ofTarget:)) == [0, 1, nil, nil])
        #expect(["route", "other", "", "nowhere"].map(document.indices(ofHost:)) == [[0, 2], [1], [3], []])
    }

    /// Texts are the same when their bytes are: these two are one to a reader, and to Swift's own comparison.
    @Test func targetsAreComparedByTheirBytes() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let document = try readRules(
            .document([
                .rule("a", "/a", ["target": .string(composed)]), .rule("b", "/b", ["target": .string(decomposed)]),
            ]))
        #expect(document.index(ofTarget: composed) == 0)
        #expect(document.index(ofTarget: decomposed) == 1)
    }

    @Test func rowsAreOneForEachSchemeAndTwoForEachWebHost() throws {
        let document = try readRules(
            .document(
                [.rule("a", "/a/:x"), .rule("b", "/", ["host": ""])], webHosts: ["m.example.com", "localhost"]))
        let expected = [
            "app://route/a/:x", "app-int://route/a/:x", "http://m.example.com/a/:x", "https://m.example.com/a/:x",
            "http://localhost/a/:x", "https://localhost/a/:x",
        ]
        #expect(document.patterns.filter { $0.rule == 0 }.map(\.pattern) == expected)
        #expect(document.patterns.filter { $0.rule == 1 }.map(\.pattern) == ["app:///", "app-int:///"])
        #expect(document.patternCount == 8)
        #expect(document.patterns(ofRule: 0) == expected)
        #expect(document.patterns(ofRule: 2) == [] && document.patterns(ofRule: -1) == [])
        #expect(document.rules[0].pattern(scheme: "x") == "x://route/a/:x")
    }

    @Test func rowsAreBounded() throws {
        func document(rules: Int) -> Value {
            var document = Value.document((0..<rules).map { .rule("r\($0)", "/\($0)") }).mapValue ?? ValueMap()
            document["publicSchemes"] = .list((0..<64).map { .string("s\($0)") })
            document["webHosts"] = .list((0..<64).map { .string("h\($0)") })
            return .map(document)
        }
        #expect(try readRules(document(rules: 5181)).patternCount == 999_933)
        let error = #expect(throws: CrosstieError.self) { try readRules(document(rules: 5182)) }
        #expect(error?.status == .limitExceeded && error?.location == "rules")
    }

    @Test(arguments: [("", "A"), ("linux", "A"), ("ios", "B"), ("android", nil)] as [(String, String?)])
    func aPlatformChoosesItsTargets(platform: String, target: String?) throws {
        let source = Value.document([
            .rule(
                "a", "/a",
                ["targets": ["linux": "A", "comment": "c", "ios": "B"], "paramsTargets": ["ios": "P"], "x-n": 1])
        ])
        let document = try readRules(source, options: RuleLoadOptions(platform: platform))
        #expect(document.rules[0].target == target)
        #expect(document.rules[0].paramsTarget == (platform == "ios" ? "P" : nil))
        #expect(document.index(ofTarget: "B") == (target == "B" ? 0 : nil))
        let seen = document.rules[0].value
        #expect(seen["target"] == target.map(Value.string) && seen["targets"] == nil && seen["x-n"] == 1)
        #expect(document.value == source)
    }

    @Test func privateURLsAreOfThePrivateScheme() throws {
        let source = Value.document([.rule("a", "/a/:x"), .rule("b", "/b", ["visibility": "private", "target": "T"])])
        let document = try readRules(source)
        #expect(
            try document.url(id: "a", parameters: ValueMap([("x", 1), ("y", true)]), isPublic: false)
                == "app-int://route/a/1?y=true")
        #expect(try document.url(target: "T", isPublic: false) == "app-int://route/b")
        #expect(try document.url(target: "T") == "app://route/b")
        var withoutPrivate = source.mapValue ?? ValueMap()
        withoutPrivate["privateSchemes"] = []
        let error = #expect(throws: CrosstieError.self) {
            try readRules(.map(withoutPrivate)).url(id: "b", isPublic: false)
        }
        #expect(error?.status == .notFound)
    }

    @Test func bytesThatAreNoTextAreRefused() throws {
        let error = #expect(throws: CrosstieError.self) {
            try readRules(Array("{\"version\": \"".utf8) + [0xC3, 0x28] + Array("\"}".utf8))
        }
        #expect(error?.status == .invalidUTF8 && error?.location.hasPrefix("line 1, column ") == true)
        for bytes: [UInt8] in [[0], [0xFF, 0xFE], [0xEF, 0xBB], [0x7B, 0]] {
            #expect(throws: CrosstieError.self) { try readRules(bytes) }
        }
    }

    /// The options of the older form are not looked at where a document brings its own lists.
    @Test func listsOfTheOptionsAreForTheOlderFormAlone() throws {
        let document = try readRules(
            .document([.rule("a", "/a")]), options: RuleLoadOptions(publicSchemes: ["http"], routeHosts: ["UPPER"]))
        #expect(document.publicSchemes == ["app"] && document.routeHosts == ["route", "other"])
        #expect(document.privateSchemes == ["app-int"] && document.webHosts == ["m.example.com"])
        #expect(document.version == RuleVersion(major: 1, minor: 0, patch: 0))
    }

    @Test func tenThousandRulesAreRead() throws {
        let document = try readRules(.document((0..<10_000).map { .rule("r\($0)", "/m\($0)/:id") }))
        #expect(document.rules.count == 10_000 && document.index(ofId: "r9999") == 9_999)
    }
}
