import Testing

@testable import Crosstie

@Suite struct URLPartsTests {
    @Test(
        arguments: [
            ("app://h", []), ("app://h/", []), ("app://h/a", ["a"]), ("app://h/a/", ["a"]), ("app://h/a//", ["a", ""]),
            ("app://h//", [""]), ("app://h//a", ["", "a"]), ("app:/a/b", ["a", "b"]),
            ("app://h/a%20b/%C3%A9", ["a b", "é"]),
            ("app://h/a%2Fb/c", ["a/b", "c"]), ("app://h/%2541", ["%41"]), ("app://h/a+b;c", ["a+b;c"]),
            ("app://h/%25/%61/", ["%", "a"]), ("mailto:a/b", []),
        ] as [(String, [String])])
    func segments(url: String, expected: [String]) {
        #expect(ParsedURL(url).segments == expected)
    }

    @Test func decodedSegmentsAreOnePieceOfText() {
        let url = ParsedURL("app://h/a%20b/c/%C3%A9")
        let (first, last) = (url.ranges[1], url.ranges[3])
        #expect(url.text(SegmentRange(from: Int(first.offset), to: last.end)) == "a b/c/é")
    }

    @Test func escapedSlashesAreMarked() {
        #expect(ParsedURL("app://h/a/b%2Fc/d%5Ce/f%20").parts.escapedSlashes == 0b0110)
        #expect(ParsedURL("app://h/a/b").parts.escapedSlashes == 0)
        let last = "app://h/" + String(repeating: "a/", count: 63) + "%2f"
        #expect(ParsedURL(last).parts.escapedSlashes == 1 << 63)
    }

    @Test(
        arguments: [
            ("app://h/?a=1&b=2&a=3", ["a=1", "b=2", "a=3"]), ("app://h/?a&b=", ["a=", "b="]),
            ("app://h/?a&&b", ["a=", "b="]),
            ("app://h/?&&", []), ("app://h/?", []), ("app://h/", []), ("app://h/?=v", ["=v"]),
            ("app://h/?a=b=c", ["a=b=c"]),
            ("app://h/?a+b=c+d", ["a+b=c+d"]), ("app://h/?a%20b=%26%3D", ["a b=&="]), ("app://h/?x=%0a", ["x=\n"]),
            ("app://h/?a;b=1;2", ["a;b=1;2"]), ("app://h/?%61=1&a=2&&", ["a=1", "a=2"]), ("app://h/?é=ü", ["é=ü"]),
            ("mailto:x?subject=a%20b", ["subject=a b"]), ("app://h/?%20&b=%20", [" =", "b= "]),
        ] as [(String, [String])])
    func pairs(url: String, expected: [String]) {
        #expect(ParsedURL(url).pairs == expected)
    }

    @Test(arguments: ["app://h/?a=1&b=2&a=3", "app://h/?a=1&b=%32&a=3"])
    func lookUps(url: String) {
        let parsed = ParsedURL(url)
        #expect(parsed.query("a") == (2, "1"))
        #expect(parsed.query("b") == (1, "2"))
        #expect(parsed.query("c") == (0, ""))
        #expect(parsed.query("") == (0, ""))
    }

    @Test func partsOfAURL() {
        let url = ParsedURL("App://Some.Host:81/p/q?x=y#f")
        let parts = url.parts
        #expect(url.text(parts.scheme) == "app")
        #expect(url.text(parts.host) == "some.host")
        #expect(url.text(parts.writtenHost) == "Some.Host")
        #expect(url.text(url.ranges[0]) == "some.host")
        #expect(url.text(parts.path) == "/p/q")
        #expect(url.text(parts.query) == "x=y")
        #expect(url.text(parts.fragment) == "f")
        #expect(parts.port == 81)
        #expect(parts.flags == [.query, .fragment])
    }

    @Test func partsOfALongURL() {
        let name = String(repeating: "n", count: 30)
        let url = ParsedURL("app://\(name)/\(name)/\(name)/\(name)?\(name)=\(name)#\(name)")
        #expect(url.segments == [name, name, name])
        #expect(url.pairs == ["\(name)=\(name)"])
        #expect(url.text(url.parts.fragment) == name)
    }

    @Test func opaqueAndWeb() {
        #expect(ParsedURL("mailto:a@b").parts.flags == [.opaque])
        #expect(ParsedURL("http://a/").parts.flags == [.web])
        #expect(ParsedURL("HTTPS://a/").parts.flags == [.web])
        #expect(ParsedURL("httpx://a/").parts.flags == [])
        #expect(ParsedURL("app://h?").parts.flags == [.query])
    }
}
