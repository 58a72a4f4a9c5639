import Testing

@testable import Crosstie

private let refusals: [(String, ParseFailure.Reason, UInt32)] = [
    ("", .empty, 0),
    ("users/42", .noScheme, 0),
    ("/users/42", .noScheme, 0),
    ("//host/x", .noScheme, 0),
    ("?a", .noScheme, 0),
    (":x", .noScheme, 0),
    ("app", .noScheme, 0),
    ("a/b:c", .noScheme, 0),
    ("1app://x", .scheme, 0),
    ("_app://x", .scheme, 0),
    ("-a://x", .scheme, 0),
    ("a@b://x", .scheme, 1),
    ("a%41://x", .scheme, 1),
    ("aé://x", .scheme, 1),
    (String(repeating: "a", count: 129) + "://x", .schemeTooLong, 128),
    (" app://x", .forbiddenByte, 0),
    ("app://x ", .forbiddenByte, 7),
    ("app://x/a b", .forbiddenByte, 9),
    ("app://x/\u{01}", .forbiddenByte, 8),
    ("app://x/\t", .forbiddenByte, 8),
    ("app://x/\n", .forbiddenByte, 8),
    ("app://x/\u{7F}", .forbiddenByte, 8),
    ("app://x/\\", .forbiddenByte, 8),
    ("app:\\\\x", .forbiddenByte, 4),
    ("app://x/?a\\", .forbiddenByte, 10),
    ("app://x/#a\\", .forbiddenByte, 10),
    ("app://x/%", .escape, 8),
    ("app://x/%4", .escape, 8),
    ("app://x/%4g", .escape, 8),
    ("app://x/%g4", .escape, 8),
    ("app://x/?%", .escape, 9),
    ("app://x/#%z", .escape, 9),
    ("app://x/%00", .nul, 8),
    ("app://x/?a=%00", .nul, 11),
    ("app://x/#%00", .nul, 9),
    ("mailto:%00", .nul, 7),
    ("app://@h/", .userinfo, 6),
    ("app://u@h/", .userinfo, 7),
    ("app://u:p@h/", .userinfo, 9),
    ("app://h@", .userinfo, 7),
    ("app://h%41/", .host, 7),
    ("app://hé/", .host, 7),
    ("app://h{/", .host, 7),
    ("app://h!/", .host, 7),
    ("app://h*/", .host, 7),
    ("app://h+/", .host, 7),
    ("app://h,x/", .host, 7),
    ("app://h]/", .host, 7),
    ("app://h./", .label, 8),
    ("app://.h/", .label, 6),
    ("app://a..b/", .label, 8),
    ("app://./", .label, 6),
    ("app://-a/", .label, 6),
    ("app://a-/", .label, 6),
    ("app://a.-b/", .label, 8),
    ("app://a.b-.c/", .label, 8),
    ("app://\(String(repeating: "a", count: 64))/", .label, 6),
    ("app://\(String(repeating: "a.", count: 127))/", .hostTooLong, 259),
    ("http:///x", .hostMissing, 7),
    ("http://", .hostMissing, 7),
    ("http:/x", .hostMissing, 5),
    ("https:x", .hostMissing, 6),
    ("HTTP:///x", .hostMissing, 7),
    ("http://:80/", .hostMissing, 7),
    ("app://:80/", .hostMissing, 6),
    ("http://1.2.3/", .ipv4, 7),
    ("http://127.1/", .ipv4, 7),
    ("http://2130706433/", .ipv4, 7),
    ("http://0x7f000001/", .ipv4, 7),
    ("http://0X7F.1/", .ipv4, 7),
    ("http://1.2.3.04/", .ipv4, 7),
    ("http://1.2.3.256/", .ipv4, 7),
    ("http://1.2.3.4.5/", .ipv4, 7),
    ("http://a.b.7/", .ipv4, 7),
    ("http://a.0x/", .ipv4, 7),
    ("http://[::1/", .ipv6, 7),
    ("http://[]/", .ipv6, 7),
    ("http://[::1]x/", .ipv6, 7),
    ("http://[:::1]/", .ipv6, 7),
    ("http://[::1::2]/", .ipv6, 7),
    ("http://[1:2:3:4:5:6:7]/", .ipv6, 7),
    ("http://[1:2:3:4:5:6:7:8:9]/", .ipv6, 7),
    ("http://[1:2:3:4:5:6:7:8::]/", .ipv6, 7),
    ("http://[12345::]/", .ipv6, 7),
    ("http://[g::]/", .ipv6, 7),
    ("http://[1:]/", .ipv6, 7),
    ("http://[::1.2.3]/", .ipv6, 7),
    ("http://[::1.2.3.4:1]/", .ipv6, 7),
    ("http://[fe80::1%25eth0]/", .ipv6, 7),
    ("app://h:/", .port, 7),
    ("app://h:0/", .port, 8),
    ("app://h:080/", .port, 8),
    ("app://h:65536/", .port, 12),
    ("app://h:1a/", .port, 9),
    ("app://h:-1/", .port, 8),
    ("app://h:1:2/", .port, 9),
    ("app://h:99999999999999999999999/", .port, 12),
    ("app://h/.", .dotSegment, 8),
    ("app://h/..", .dotSegment, 8),
    ("app://h/./", .dotSegment, 8),
    ("app://h/a/../b", .dotSegment, 10),
    ("app://h/%2e", .dotSegment, 8),
    ("app://h/%2E%2e", .dotSegment, 8),
    ("app://h/.%2e/x", .dotSegment, 8),
    ("app:/..", .dotSegment, 5),
    ("app://h/%1f", .control, 8),
    ("app://h/a%0Ab", .control, 9),
    ("app://h/%7f", .control, 8),
    ("app://h/%ff", .decodedUTF8, 8),
    ("app://h/%c3", .decodedUTF8, 8),
    ("app://h/a%c3/%a9", .decodedUTF8, 9),
    ("app://h/%c0%af", .decodedUTF8, 8),
    ("app://h/%ed%a0%80", .decodedUTF8, 8),
    ("app://h/%f4%90%80%80", .decodedUTF8, 8),
    ("app://h/?q=%ff", .decodedUTF8, 11),
    ("app://h/?q=%e6%97&r", .decodedUTF8, 11),
    ("app://h/#a#b", .fragment, 10),
    ("app://h##", .fragment, 8),
    ("app://h/" + String(repeating: "a/", count: 65), .tooManySegments, 136),
    ("app://h/?" + String(repeating: "a&", count: 129), .tooManyPairs, 265),
    ("app://h/?%41" + String(repeating: "&a", count: 128), .tooManyPairs, 267),
    ("app://h/" + String(repeating: "a", count: 8185), .tooLong, 8192),
    ("app://h/" + String(repeating: "é", count: 3000), .normalFormTooLong, 2736),
]

@Suite struct URLRefusalTests {
    @Test(arguments: refusals)
    func refusal(url: String, reason: ParseFailure.Reason, position: UInt32) {
        let parsed = ParsedURL(url)
        #expect(parsed.failure?.reason == reason, "\(url): \(parsed.result)")
        #expect(parsed.failure?.position == position, "\(url)")
        #expect(parsed.failure?.error.location == "byte \(position)")
        #expect(parsed.failure?.error.message.isEmpty == false)
    }

    @Test(
        arguments: [
            ([0x61, 0x3A, 0xFF], 2), ([0x61, 0x3A, 0xC3], 2), ([0x61, 0x3A, 0xC0, 0x80], 2),
            ([0x61, 0x3A, 0xE2, 0x82, 0x2F], 2), ([0x61, 0x3A, 0xED, 0xA0, 0x80], 2), ([0x80], 0),
        ] as [([UInt8], UInt32)])
    func rawBytesAreUTF8(bytes: [UInt8], position: UInt32) {
        let failure = ParsedURL(bytes: bytes).failure
        #expect(failure?.reason == .utf8 && failure?.position == position)
        #expect(failure?.status == .invalidUTF8)
    }

    @Test func statuses() {
        #expect(ParsedURL("app://h/..").failure?.status == .unroutablePath)
        #expect(ParsedURL("app://h/%01").failure?.status == .unroutablePath)
        #expect(ParsedURL("app://h/%ff").failure?.status == .invalidUTF8)
        #expect(ParsedURL("app://h/ ").failure?.status == .invalidURL)
        #expect(ParsedURL("app://h/" + String(repeating: "a/", count: 65)).failure?.status == .limitExceeded)
    }

    @Test func limitsAreInclusive() {
        #expect(ParsedURL("app://h/" + String(repeating: "a/", count: 64)).segments.count == 64)
        #expect(ParsedURL("app://h/?" + String(repeating: "a&", count: 128)).pairs.count == 128)
        #expect(ParsedURL("app://h/?" + String(repeating: "&", count: 1000)).pairs.isEmpty)
        #expect(ParsedURL("app://h/" + String(repeating: "a", count: 8184)).result == .parsed)
        #expect(ParsedURL(String(repeating: "a", count: 128) + "://x").result == .parsed)
        #expect(ParsedURL("app://\(String(repeating: "a", count: 63))/").result == .parsed)
        let host = String(repeating: "a.", count: 126) + "b"
        #expect(ParsedURL("app://\(host)/").result == .parsed)
        #expect(ParsedURL("app://h:65535/").parts.port == 65535)
    }

    /// Every byte at every place of a URL, in blocks of every length: no reading of it is ever fatal.
    @Test func anyByteAnywhere() {
        let url = Array("app://users/42/posts/some-long-name?tab=posts&x=y#fragment-with-text".utf8)
        for place in url.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = url
                changed[place] = byte
                _ = ParsedURL(bytes: changed).normalForm
            }
            _ = ParsedURL(bytes: Array(url[..<place])).normalForm
        }
    }
}
