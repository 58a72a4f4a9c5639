import Testing

@testable import Crosstie

private let normalForms: [(String, String)] = [
    ("app://users/42", "app://users/42"),
    ("app://users/42?tab=posts#top", "app://users/42?tab=posts#top"),
    ("APP://Users/Me", "app://users/Me"),
    ("sf_user://x/y", "sf_user://x/y"),
    ("a+b.c-d_e://x/", "a+b.c-d_e://x/"),
    ("com.app:/cb", "com.app:///cb"),
    ("com.app:///cb", "com.app:///cb"),
    ("app:///", "app:///"),
    ("app://", "app:///"),
    ("app:/", "app:///"),
    ("app://?a", "app:///?a"),
    ("app://#f", "app:///#f"),
    ("app://host", "app://host/"),
    ("app://host?", "app://host/?"),
    ("app://host#", "app://host/#"),
    ("app://host?a=b", "app://host/?a=b"),
    ("app://host#x?y", "app://host/#x?y"),
    ("app://host/?#", "app://host/?#"),
    ("app://h/a/", "app://h/a/"),
    ("app://h/a//", "app://h/a//"),
    ("app://h//a", "app://h//a"),
    ("app:////x", "app:////x"),
    ("app://h:8080/x", "app://h:8080/x"),
    ("app://42/x", "app://42/x"),
    ("app://1.2/x", "app://1.2/x"),
    ("app://a-b.c_d/x", "app://a-b.c_d/x"),
    ("http://EXAMPLE.com", "http://example.com/"),
    ("http://example.com:80/", "http://example.com/"),
    ("https://example.com:443/a", "https://example.com/a"),
    ("https://example.com:80/a", "https://example.com:80/a"),
    ("http://127.0.0.1/", "http://127.0.0.1/"),
    ("http://1a.b2/", "http://1a.b2/"),
    ("http://x.1a/", "http://x.1a/"),
    ("http://xn--mnchen-3ya.de/", "http://xn--mnchen-3ya.de/"),
    ("http://[::1]/", "http://[::1]/"),
    ("http://[0:0:0:0:0:0:0:1]:80/", "http://[::1]/"),
    ("http://[2001:DB8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/"),
    ("http://[2001:0db8:0001::]/", "http://[2001:db8:1::]/"),
    ("http://[::]/", "http://[::]/"),
    ("http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8]/"),
    ("http://[1:0:3:4:5:6:7:8]/", "http://[1:0:3:4:5:6:7:8]/"),
    ("http://[::ffff:192.0.2.1]/", "http://[::ffff:c000:201]/"),
    ("app://[::1]:9/", "app://[::1]:9/"),
    ("app://h/%41%7a%30%2d%2E%5f%7E", "app://h/Az0-._~"),
    ("app://h/%2f%5c%3a", "app://h/%2F%5C%3A"),
    ("app://h/%c3%a9", "app://h/%C3%A9"),
    ("app://h/é", "app://h/%C3%A9"),
    ("app://h/日本?日=本#語", "app://h/%E6%97%A5%E6%9C%AC?%E6%97%A5=%E6%9C%AC#%E8%AA%9E"),
    ("app://h/\"<>^`{|}[]", "app://h/%22%3C%3E%5E%60%7B%7C%7D%5B%5D"),
    ("app://h/?\"<>^`{|}[]", "app://h/?%22%3C%3E%5E%60%7B%7C%7D%5B%5D"),
    ("app://h/#\"<>^`{|}[]", "app://h/#%22%3C%3E%5E%60%7B%7C%7D%5B%5D"),
    ("app://h/!$&'()*+,;=:@", "app://h/!$&'()*+,;=:@"),
    ("app://h/?a+b;c/d?e:f@g", "app://h/?a+b;c/d?e:f@g"),
    ("app://h/?q=%0a%20", "app://h/?q=%0A%20"),
    ("app://h/#%ff%01", "app://h/#%FF%01"),
    ("app://h/...", "app://h/..."),
    ("app://h/.a/a./..a", "app://h/.a/a./..a"),
    ("app://h/%25", "app://h/%25"),
    ("app://h/%2541", "app://h/%2541"),
    ("app://h/a@b", "app://h/a@b"),
    ("mailto:a@b", "mailto:a@b"),
    ("mailto:a%40B%7e?s=x", "mailto:a%40B~?s=x"),
    ("app:", "app:"),
    ("app:?a", "app:?a"),
    ("app:x/../y", "app:x/../y"),
]

@Suite struct URLNormalFormTests {
    @Test(arguments: normalForms)
    func normalForm(url: String, expected: String) {
        let parsed = ParsedURL(url)
        #expect(parsed.normalForm == expected, "\(parsed.result)")
    }

    @Test(arguments: normalForms)
    func isIdempotent(url: String, expected: String) {
        let (first, again) = (ParsedURL(url), ParsedURL(expected))
        #expect(again.normalForm == expected)
        #expect(again.segments == first.segments)
        #expect(again.pairs == first.pairs)
        #expect(again.parts.port == first.parts.port)
        #expect(again.parts.flags == first.parts.flags)
        #expect(again.parts.escapedSlashes == first.parts.escapedSlashes)
    }

    @Test func anAreaThatIsTooSmallIsAskedFor() {
        let url = "app://h/" + String(repeating: "é", count: 100)
        let small = ParsedURL(url, capacity: 64)
        #expect(small.result == .parsed)
        #expect(small.segments == [String(repeating: "é", count: 100)])
        let long = "app://h/" + String(repeating: "a", count: 8184)
        #expect(ParsedURL(long).normalForm == long)
    }
}
