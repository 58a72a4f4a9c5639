@testable import Crosstie

/// Texts for tests of properties: URLs, patterns and values, likely ones and unlikely ones.
extension TestRandom {
    private static let urlPieces = [
        "app:", "http:", "https:", "App", "//", "//h", "//Users", "//a.b-c", "/", "/", "/a", "/B", "?", "?", "#", "a",
        "B", "%41", "%2f", "%5C",
        "%C3%A9", "%C3", "é", "日本", "..", ".", "%2E", "&", "=", "k=v", "[::1]", "1.2.3.4", ":80", ":8080", "@", "%00",
        "%0A", "%", " ", "{", "\"", "users", "%ff", "%7e", "+", ";", "-", "_", "~", "!", "*", "\u{1}", "\\",
        "a-long-piece-of-text-that-fills-more-than-one-block-of-sixteen-bytes",
    ]

    /// Mostly URLs, and things that look like one.
    mutating func url() -> String {
        var url =
            ["", "app://", "app://h/", "app:/", "https://h.example/", "APP://H"].randomElement(using: &self) ?? ""
        for _ in 0..<Int.random(in: 0..<12, using: &self) { url += Self.urlPieces.randomElement(using: &self) ?? "" }
        return url
    }

    /// A URL with some of its bytes changed: no text any more, perhaps.
    mutating func spoiledURL() -> [UInt8] {
        var bytes = Array(url().utf8)
        for _ in 0..<Int.random(in: 0..<3, using: &self) where !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &self)] = UInt8.random(in: 0...255, using: &self)
        }
        return bytes
    }

    private static let escapedPieces = [
        "/", "/", "?", "a", "B-c", "&", "&", "=", "k=v", ".", "..", "%41", "%2f", "%2F", "%5C", "%5c", "%20", "%3d",
        "%26", "%C3%A9", "%c3%a9", "%E6%97%A5", "%F0%9F%98%80", "%2E", "%7e", "%25", "%23", "+", ";", "~", "users",
        "item",
        "0123456789abcde", "0123456789abcdef", "0123456789abcdefg",
        "a-long-piece-of-text-that-fills-more-than-one-block-of-sixty-four-bytes",
    ]
    private static let badPieces = [
        "%", "%4", "%zz", "%00", "%0A", "%7F", "%C3", "%A9", "%ED%A0%80", "é", " ", "#", "[", "\\",
    ]
    private static let escapedHeads = ["app://h/", "app://users", "https://h.example/", "x://", "a-b://some-host/"]

    /// Mostly good URLs with escapes; sometimes with something bad, or a changed byte.
    mutating func escapedURL() -> [UInt8] {
        var url = Self.escapedHeads.randomElement(using: &self) ?? ""
        let size = next() % 16 == 0 ? 150 : 16
        for _ in 0..<Int.random(in: 0..<size, using: &self) {
            url += Self.escapedPieces.randomElement(using: &self) ?? ""
            if next() % 128 == 0 { url += Self.badPieces.randomElement(using: &self) ?? "" }
        }
        if next() % 4 == 0 { url += "#" + (Self.escapedPieces.randomElement(using: &self) ?? "") + "%ff" }
        var bytes = Array(url.utf8)
        if next() % 4 == 0 {
            bytes[Int.random(in: 0..<bytes.count, using: &self)] = UInt8.random(in: 0...255, using: &self)
        }
        return bytes
    }

    private static let hosts = [
        "", "a", "a.b", ":h", "~", ":h<int>", ":h<word>", ":h<float>", ":h<uuid>", ":h.l", ":h<string>", ":h<bool>",
        "[::1]", "[2001:DB8:0::1]",
    ]
    private static let segments = [
        "a", "é", "B-c", ":#", ":#.html", ":#.", ":#-x", ":#é", ":#<uuid>", ":#<bool>", ":#<uint>", ":#<int>",
        ":#<float>",
        ":#<word>", ":#<any>", ":#<string>", "a%20b", "%3A#", "%28%29%24%2B", "%C3%A9%2a", "%7E", ":#%20", ":#%3a%7D",
    ]

    /// A pattern that can be registered; parameters are named by their position.
    mutating func pattern() -> String {
        let web = next() % 4 == 0
        var pattern = web ? "https://" : "App+x://"
        let host = Self.hosts.randomElement(using: &self) ?? ""
        pattern += web && host.isEmpty ? "h" : host
        for index in 0..<Int.random(in: 0..<5, using: &self) {
            let segment = next() % 8 == 0 ? "~" : Self.segments.randomElement(using: &self) ?? ""
            pattern += "/" + segment.replacing("#", with: "p\(index)")
        }
        return next() % 3 == 0 ? pattern + "/*rest" : pattern
    }

    private static let values = [
        "", ".", "..", "...", "a", "A", "a/b", "/", "//", "a/", "/a", "a//b", "a/../b", "a\\b", "%", "%41", "%2F",
        "a b", "é", "e\u{301}",
        "日本", "😀", "?", "#", "a?b#c", "&=", "+", "~", "*", ":a", "[x]", "\n", "\u{0}", "\u{7F}", "\u{80}", "0", "-0",
        "7", "-7", "007",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "1e308", "1e400", "-1e999", "1.5", "1e5",
        "1E+5", "1.", "true",
        "True", "false",
        "01234567-89ab-cdef-0123-456789abcdef", "01234567-89AB-CDEF-0123-456789ABCDEF", "x.html", ".html", "x.", "-x",
        "a.b", "a..b", "-", "_", "1.2.3.4", "1.2", "0x7f", "[::1]", "[2001:DB8::1]", "[::1", "u@h", "h:80",
        "xn--bcher-kva",
        "a-text-of-more-than-sixteen-bytes/with a slash",
    ]
    private static let characters = Array("aZ09-._~%/?#[]@!$&'()*+,;=:\\ \"<>^`{|}é日😀\u{301}\n")

    mutating func value() -> String {
        if next() % 2 == 0 { return Self.values.randomElement(using: &self) ?? "" }
        return String(
            (0..<Int.random(in: 0..<6, using: &self)).compactMap { _ in Self.characters.randomElement(using: &self) })
    }
}
