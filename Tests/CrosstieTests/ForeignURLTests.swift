import Testing

@testable import Crosstie

/// Malformed URLs of others, which are kept as they are.
@Suite struct ForeignURLTests {
    private static func parse(_ text: String) -> ParsedURL {
        ParsedURL(bytes: Array(text.utf8), reading: .foreign)
    }

    @Test(
        arguments: [
            ("https://x.example/s?q=%C4%E3", "https", "x.example", "/s"),
            ("HTTPS://X.Example-:8443/a/../b#c#d", "https", "x.example-", "/a/../b"),
            ("mailto:a@b?subject=%E4", "mailto", "", "a@b"),
            ("a:/b/../%c4", "a", "", "/b/../%c4"),
            ("a://[0::1]/..", "a", "[::1]", "/.."),
            ("a:///..", "a", "", "/.."),
            ("https://a.-b-.c", "https", "a.-b-.c", ""),
        ])
    func isKept(text: String, scheme: String, host: String, path: String) {
        let url = Self.parse(text)
        #expect(url.result == .parsed)
        #expect(url.normalForm == text)
        #expect(url.text(url.parts.scheme) == scheme)
        #expect(url.text(url.parts.host) == host)
        #expect(url.text(url.parts.path) == path)
        #expect(url.segments.isEmpty && url.pairs.isEmpty)
        #expect(url.parts.flags.isSuperset(of: [.foreign, .opaque]))
    }

    @Test(
        arguments: [
            "", "x", "/x", "//x/..", "-a:..", "https:..", "https:///..", "https://u@h/..", "https://h%41/..",
            "https://h./..",
            "https://é/..", "https://1.2.3/..", "https://h:/..", "https://h:0/..", "https://a..b/..", "https://[::/..",
            "https://0-.1/..", "a:\\..", "a:/.. ", "a:/..\n", "a:/..%", "a:/..%00", "a:/../%0A", "a:/../%7f", "a:/..\"",
            "a:/..<", "a:/..>", "a:/..`",
        ])
    func isRefused(text: String) {
        guard case .failed = Self.parse(text).result else {
            Issue.record("\(text) is taken")
            return
        }
    }

    /// Both readings see one scheme and one host, or what is ours for the one could be foreign for the other.
    @Test func bothReadingsAgreeOnWhoIsAsked() {
        var random = TestRandom(seed: 51)
        var (both, foreign) = (0, 0)
        for _ in 0..<50_000 {
            let bytes = random.spoiledURL()
            let strict = ParsedURL(bytes: bytes)
            let kept = ParsedURL(bytes: bytes, reading: .foreign)
            guard kept.result == .parsed else { continue }
            foreign += 1
            #expect(Array(kept.parts.text(kept.parts.normalForm)) == bytes)
            #expect(!bytes.contains { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C })
            guard strict.result == .parsed else { continue }
            both += 1
            #expect(kept.text(kept.parts.scheme) == strict.text(strict.parts.scheme))
            #expect(kept.text(kept.parts.host) == strict.text(strict.parts.host))
            #expect(kept.parts.flags.contains(.web) == strict.parts.flags.contains(.web))
            #expect(kept.parts.port == strict.parts.port)
        }
        #expect(both > 2_000 && foreign > both + 500)
    }
}
