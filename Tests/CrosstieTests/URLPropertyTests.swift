import Testing

@testable import Crosstie

/// The properties of every URL, tried on random ones.
@Suite struct URLPropertyTests {
    private static let rounds = 30_000

    @Test func theNormalFormIsItsOwnAndMeansTheSame() {
        var random = TestRandom(seed: 7)
        var accepted = 0
        for _ in 0..<Self.rounds {
            let text = random.url()
            let url = ParsedURL(text)
            guard let normal = url.normalForm else { continue }
            accepted += 1
            let again = ParsedURL(normal)
            #expect(URLReading(again) == URLReading(url), "\(text)")
        }
        #expect(accepted > Self.rounds / 10)
    }

    /// The host of captures is the one that was written, in any case.
    @Test func theHostIsKeptAsItWasWritten() {
        var random = TestRandom(seed: 8)
        for _ in 0..<Self.rounds {
            let text = random.url()
            let url = ParsedURL(text)
            guard url.result == .parsed, !url.parts.flags.contains(.opaque), !text.contains("[") else { continue }
            let written = url.text(url.parts.writtenHost)
            #expect(written.lowercased() == url.text(url.parts.host))
            #expect(text.contains(written))
        }
    }

    /// A refusal names a byte of the URL, or its end, and the bytes before that are valid.
    @Test func refusalsNameAByteOfTheURL() {
        var random = TestRandom(seed: 10)
        var refused = 0
        for _ in 0..<Self.rounds {
            let bytes = random.spoiledURL()
            guard let failure = ParsedURL(bytes: bytes).failure else { continue }
            refused += 1
            #expect(Int(failure.position) <= bytes.count)
            #expect(failure.error.location == "byte \(failure.position)" && !failure.error.message.isEmpty)
        }
        #expect(refused > Self.rounds / 10)
    }

    /// Decoded parts are text, and no segment climbs or holds a control byte.
    @Test func decodedTextIsText() {
        var random = TestRandom(seed: 11)
        for _ in 0..<Self.rounds {
            let url = ParsedURL(bytes: random.spoiledURL())
            guard url.result == .parsed else { continue }
            for index in 0..<Int(url.parts.segmentCount) {
                let segment = url.parts.text(url.ranges[index + 1])
                #expect(isUTF8(segment) && !segment.contains(where: ASCII.isControl))
                #expect(url.segments[index] != "." && url.segments[index] != "..")
            }
            var query = Query(of: url.parts)
            while let pair = query.next() {
                for text in [url.parts.text(pair.key), url.parts.text(pair.value)] {
                    #expect(isUTF8(text) && !text.contains(0))
                }
            }
        }
    }
}
