import Testing

@testable import Crosstie

private let refusals: [(String, String)] = [
    ("", "byte 0"),
    ("users", "byte 0"),
    ("/users", "byte 0"),
    ("app:", "byte 0"),
    ("app:/x", "byte 0"),
    ("1app://x", "byte 0"),
    ("a pp://x", "byte 0"),
    (String(repeating: "a", count: 129) + "://", "byte 128"),
    ("app://a//b", "byte 8"),
    ("app://a/b//", "byte 10"),
    ("app://a/.", "byte 8"),
    ("app://a/..", "byte 8"),
    ("app://a/b%2", "byte 9"),
    ("app://a/b%41", "byte 9"),
    ("app://a/b%2F", "byte 9"),
    ("app://a/:b%00", "byte 10"),
    ("app://h%20/b", "byte 7"),
    ("app://[::1]:80/b", "byte 6"),
    ("app://[::1/b", "byte 6"),
    ("app://a/b?x", "byte 9"),
    ("app://a/b#x", "byte 9"),
    ("app://a/b\\", "byte 9"),
    ("app://a/b:c", "byte 9"),
    ("app://a/b*", "byte 9"),
    ("app://a/(b)", "byte 8"),
    ("app://a/b|c", "byte 9"),
    ("app://a/a\"b", "byte 9"),
    ("app://a/a^b", "byte 9"),
    ("app://a/a`b", "byte 9"),
    ("app://a/a+b", "byte 9"),
    ("app://a/a$b", "byte 9"),
    ("app://a/{b}", "byte 8"),
    ("app://a/[b]", "byte 8"),
    ("app://a/<b>", "byte 8"),
    ("app://a/b c", "byte 9"),
    ("app://a/b\u{01}", "byte 9"),
    ("app://a/:", "byte 9"),
    ("app://a/:1", "byte 9"),
    ("app://a/:-x", "byte 9"),
    ("app://a/:é", "byte 9"),
    ("app://a/:a:b", "byte 10"),
    ("app://a/:a*", "byte 10"),
    ("app://a/:a<int", "byte 14"),
    ("app://a/:a<int>x", "byte 14"),
    ("app://a/:a<number>", "byte 11"),
    ("app://a/:a<>", "byte 11"),
    ("app://a/:a<Int>", "byte 11"),
    ("app://a/:a/:a", "byte 11"),
    ("app://:a/*a", "byte 9"),
    ("app://a/*", "byte 9"),
    ("app://a/*r/b", "byte 8"),
    ("app://a/*r.html", "byte 10"),
    ("app://a/:" + String(repeating: "n", count: 65), "byte 9"),
    ("app://*rest", "byte 6"),
    ("app://:h<any>", "byte 6"),
    ("app://a.", "byte 8"),
    ("app://a b", "byte 7"),
    ("app://a:80/x", "byte 7"),
    ("app://u@h/x", "byte 7"),
    ("app://é/x", "byte 6"),
    ("app://:h./x", "byte 8"),
    ("app://:h.-/x", "byte 8"),
    ("http:///x", "byte 7"),
    ("http://1.2.3/x", "byte 7"),
    ("app://h/" + (0...64).map { "s\($0)" }.joined(separator: "/"), "byte 254"),
    ("app://:h/" + (0..<64).map { ":p\($0)" }.joined(separator: "/"), "byte 314"),
]

@Suite struct PatternTests {
    @Test(arguments: refusals)
    func refusal(pattern: String, location: String) {
        let error = #expect(throws: CrosstieError.self) { try makePattern(pattern) }
        #expect(error?.location == location, "\(pattern): \(String(describing: error))")
        #expect(error?.status == .invalidPattern || error?.status == .limitExceeded)
    }

    @Test(
        arguments: [
            ("app://users/:id", [.literal, .parameter]), ("app://", []), ("app:///", [.literal]),
            ("app://h", [.literal]),
            ("app://h/", [.literal]), ("app:///a", [.literal, .literal]), ("app://:m/list", [.parameter, .literal]),
            ("app://~/x", [.skip, .literal]), ("app://:h.example.com/x", [.suffix, .literal]),
            ("app://:h<word>", [.typed]),
            ("app://h/:id.html", [.literal, .suffix]), ("app://h/:id<int>/", [.literal, .typed]),
            ("app://h/:id<any>", [.literal, .any]), ("app://h/:id<string>", [.literal, .parameter]),
            ("app://h/~/~x/*rest", [.literal, .skip, .literal, .rest]),
            ("app://h/日本/a@b,c=d;e'f!g&h", [.literal, .literal, .literal]),
            ("https://a.b/x", [.literal, .literal]), ("http://", []),
            ("app://h/.../.a", [.literal, .literal, .literal]),
        ] as [(String, [PatternSegment.Kind])])
    func kinds(pattern: String, kinds: [PatternSegment.Kind]) throws {
        #expect(try makePattern(pattern).segments.map(\.kind) == kinds)
    }

    @Test func schemeAndHostAreFolded() throws {
        let pattern = try makePattern("APP://Users.X/Path/:Id.Html")
        #expect(pattern.description == "app://users.x/Path/:Id.Html")
        #expect(try makePattern("app://:h.Com/x").description == "app://:h.com/x")
    }

    @Test func literalsAreStoredDecoded() throws {
        let pattern = try makePattern("app://[2001:DB8:0::1]/a%20b/:id%28x%29/%7E/*rest")
        #expect(pattern.description == "app://[2001:DB8:0::1]/a%20b/:id%28x%29/%7E/*rest")
        #expect(pattern.segments.map(\.kind) == [.literal, .literal, .suffix, .literal, .rest])
        #expect(pattern.segments.map { pattern.string($0.literal) } == ["[2001:db8::1]", "a b", "(x)", "~", ""])
        #expect(pattern.parameterNames == ["id", "rest"])
        let whole = try makePattern("/:id%20", defaultScheme: "app")
        #expect(whole.string(whole.segments[1].literal) == " " && whole.parameterNames == ["id"])
    }

    @Test func hostsAreSharedInTheirNormalForm() throws {
        let address = try makePattern("app://[0::1]/a")
        #expect(address.sharesHost(with: try makePattern("APP://[::1]/b")))
        #expect(!address.sharesHost(with: try makePattern("app://[::2]/a")))
        #expect(!address.sharesHost(with: try makePattern("other://[::1]/a")))
        #expect(try makePattern("app://H/a").sharesHost(with: try makePattern("app://h/b")))
        #expect(try !makePattern("app://:h/a").sharesHost(with: try makePattern("app://h/b")))
        #expect(try makePattern("app:///a").sharesHost(with: try makePattern("app:///b")))
    }

    @Test func defaultScheme() throws {
        let pattern = try makePattern("/users/:id", defaultScheme: "App")
        #expect(pattern.description == "app:///users/:id")
        #expect(pattern.segments.map(\.kind) == [.literal, .literal, .parameter])
        #expect(pattern.parameterNames == ["id"])
        #expect(try makePattern("/", defaultScheme: "app").segments.count == 1)
        #expect(try makePattern("x://y", defaultScheme: "app").description == "x://y")
        let error = #expect(throws: CrosstieError.self) { try makePattern("/a/:", defaultScheme: "app") }
        #expect(error?.location == "byte 4")
    }

    @Test func bytesThatAreNoText() {
        let bytes: [UInt8] = Array("app://h/".utf8) + [0xFF]
        let error = #expect(throws: CrosstieError.self) { try bytes.withUnsafeBytes { try Pattern($0) } }
        #expect(error?.status == .invalidUTF8)
        #expect(error?.location == "byte 8")
    }

    @Test func lengthIsLimited() {
        let error = #expect(throws: CrosstieError.self) {
            try makePattern("app://h/" + String(repeating: "a", count: 8185))
        }
        #expect(error?.status == .limitExceeded)
        #expect(error?.location == "byte 8192")
    }

    @Test func names() throws {
        let pattern = try makePattern("app://:host/:a.html/~/:b<int>/:c<any>/*rest")
        #expect(pattern.parameterNames == ["host", "a", "b", "c", "rest"])
        let info = Array("as written remark".utf8).withUnsafeBytes { text in
            PatternInfo(pattern, text: .init(rebasing: text[..<10]), remark: .init(rebasing: text[11...]))
        }
        defer { info.release() }
        #expect(info.nameCount == 5)
        #expect(String(decoding: info.name(4), as: UTF8.self) == "rest")
        #expect(String(decoding: info.text, as: UTF8.self) == "as written")
        #expect(String(decoding: info.remark, as: UTF8.self) == "remark")
        #expect(Array("b".utf8).withUnsafeBytes(info.position) == 2)
        #expect(Array("x".utf8).withUnsafeBytes(info.position) == nil)
        #expect(Array("".utf8).withUnsafeBytes(info.position) == nil)
    }

    @Test func noNames() throws {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let info = PatternInfo(try makePattern("app://h"), text: nothing, remark: nothing)
        defer { info.release() }
        #expect(info.nameCount == 0 && info.text.isEmpty && info.remark.isEmpty)
    }
}
