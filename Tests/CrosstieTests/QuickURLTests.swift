import Testing

@testable import Crosstie

/// The one-pass reading beside the careful one.
@Suite struct QuickURLTests {
    private static let rounds = 30_000

    /// Whether the one-pass reading takes the URL; it has to read it as the careful one does.
    private func isQuick(_ bytes: [UInt8], capacity: Int = 32_768) -> Bool {
        let quick = ParsedURL(bytes: bytes, capacity: capacity, reading: .quick)
        guard quick.result == .parsed else { return false }
        let careful = ParsedURL(bytes: bytes, reading: .careful)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(careful.result == .parsed, "\(text)")
        guard careful.result == .parsed else { return true }
        #expect(URLReading(careful) == URLReading(quick), "\(text)")
        #expect(careful.parts.flags == quick.parts.flags, "\(text)")
        #expect(careful.text(careful.parts.writtenHost) == quick.text(quick.parts.writtenHost), "\(text)")
        let used = Int(quick.parts.used)
        #expect(used + URLLimits.slack <= capacity, "\(text)")
        let slack = quick.parts.text(SegmentRange(from: used, to: used + URLLimits.slack))
        #expect(slack.allSatisfy { $0 == 0 }, "\(text)")
        return true
    }

    private func share(of rounds: Int, _ url: () -> [UInt8]) -> Double {
        var taken = 0
        for _ in 0..<rounds where isQuick(url()) { taken += 1 }
        return Double(taken) / Double(rounds)
    }

    @Test func bothReadURLsAlike() {
        var random = TestRandom(seed: 9)
        #expect(share(of: Self.rounds) { random.spoiledURL() } > 0.03)
    }

    @Test func bothReadEscapesAlike() {
        var random = TestRandom(seed: 12)
        #expect(share(of: Self.rounds) { random.escapedURL() } > 0.25)
    }

    /// An area that is too small by any number of bytes is not written past, and decides nothing else.
    @Test func anyAreaIsEnoughOrLeft() {
        var random = TestRandom(seed: 13)
        for _ in 0..<Self.rounds {
            let url = random.escapedURL()
            checkArea(of: url.count + Int.random(in: 0...(2 * url.count + 48), using: &random), url)
        }
    }

    /// Decoded, each of these pairs is longer than it was.
    @Test func pairsWithoutValuesFitOrAreLeft() {
        let url = Array(("x:///?%20" + String(repeating: "&a", count: 60)).utf8)
        for capacity in url.count...(4 * url.count) { checkArea(of: capacity, url) }
        #expect(isQuick(url, capacity: 4 * url.count))
    }

    private func checkArea(of capacity: Int, _ url: [UInt8]) {
        let area = UnsafeMutableRawPointer.allocate(byteCount: capacity + 64, alignment: 16)
        defer { area.deallocate() }
        area.initializeMemory(as: UInt8.self, repeating: 0xEE, count: capacity + 64)
        var parts = URLParts(area: area, capacity: capacity)
        let ranges = UnsafeMutablePointer<SegmentRange>.allocate(capacity: 65)
        defer { ranges.deallocate() }
        _ = url.withUnsafeBytes {
            QuickURL.parse($0, area: area, capacity: capacity, segments: ranges, into: &parts)
        }
        let behind = UnsafeRawBufferPointer(start: area + capacity, count: 64)
        #expect(behind.allSatisfy { $0 == 0xEE }, "\(String(decoding: url, as: UTF8.self)) in \(capacity)")
        _ = isQuick(url, capacity: capacity)
    }

    @Test func everyByteAtEveryPosition() {
        let url = Array("app://host/a%20b/c%C3%A9d/0123456789abcdef?k=v%3D&x=%41y#f%20".utf8)
        var taken = 0
        for index in url.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = url
                changed[index] = byte
                if isQuick(changed) { taken += 1 }
            }
        }
        #expect(taken > url.count * 20)
    }

    /// Escapes at every distance from the boundaries of 16 and 64 bytes.
    @Test(arguments: ["%20", "/%C3%A9/b", "?a=%20&b", "%41%2Fz", "?x#%2f", "%2E/%7E?%41=%41"])
    func everySize(tail: String) {
        for size in 1...200 {
            let (before, behind) = (String(repeating: "a", count: size), String(repeating: "b", count: size % 70))
            #expect(isQuick(Array("app://h/\(before)\(tail)\(behind)".utf8)), "\(before)\(tail)\(behind)")
        }
    }

    /// Those that links have.
    @Test(
        arguments: [
            "app://users/42", "app://users?tab=posts#top", "app://h/a%20b", "app://h/a%2Fb/%5C", "app://h/%41?%42#%43",
            "app://h/a?q=a%26b&%3D=%25&x&&y=#%ff", "https://example.com/%E6%97%A5%E6%9C%AC/?a=%F0%9F%98%80",
            "x:///%20/",
        ])
    func areQuick(url: String) {
        #expect(isQuick(Array(url.utf8)))
    }

    @Test(
        arguments: [
            "app://h/%2E", "app://h/%2e%2E/a", "app://h/a/.%2e", "app://h/%0a", "app://h/%7F", "app://h/%C3/%A9",
            "app://h/?a=%C3&b=%A9", "app://h/?%C3=%A9", "app://h/%C3#%A9", "app://h/%C3?%A9", "app://h/%C3a%A9",
            "app://h/%c0%af", "app://h/%ED%A0%80", "app://h/%", "app://h/%4", "app://h/%4/1", "app://h/%%41",
            "app://h/%zz", "app://h/%00", "app://h/?%00", "app://h/#%00", "app://h/%20#a#b", "app://h/%20 ",
            "app://h/a?%4#1", "app://h/#%4",
        ])
    func areLeftToTheCarefulReading(url: String) {
        #expect(!isQuick(Array(url.utf8)))
        #expect(ParsedURL(url).failure != nil)
    }

    @Test func limitsAreKept() {
        let segments = { (count: Int) in "app://h/%20" + String(repeating: "/a", count: count - 1) }
        #expect(isQuick(Array(segments(64).utf8)) && !isQuick(Array(segments(65).utf8)))
        let pairs = { (count: Int) in "app://h/?%20" + String(repeating: "&a", count: count - 1) }
        #expect(isQuick(Array(pairs(128).utf8)) && !isQuick(Array(pairs(129).utf8)))
        let long = { (count: Int) in "app://h/%20" + String(repeating: "a", count: count - 11) }
        #expect(isQuick(Array(long(8192).utf8)) && !isQuick(Array(long(8193).utf8)))
    }
}
