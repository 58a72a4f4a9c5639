import Testing

@testable import Crosstie

/// The properties of every pattern, tried on random ones.
@Suite struct PatternPropertyTests {
    /// A pattern's description is a pattern that means the same.
    @Test func descriptionsAreReadBack() throws {
        var random = TestRandom(seed: 21)
        for _ in 0..<5_000 {
            let text = random.pattern()
            let pattern = try makePattern(text)
            let again = try makePattern(pattern.description)
            #expect(again.description == pattern.description)
            #expect(again.parameterNames == pattern.parameterNames)
            #expect(again.segments.map(\.kind) == pattern.segments.map(\.kind))
            #expect(again.segments.map(\.type) == pattern.segments.map(\.type))
            #expect(
                again.segments.map { again.string($0.literal) } == pattern.segments.map { pattern.string($0.literal) })
        }
    }

    /// A default scheme adds itself and an empty host, and places in errors stay those of the text.
    @Test func aDefaultSchemeIsAPrefix() throws {
        var random = TestRandom(seed: 22)
        for _ in 0..<5_000 {
            var path = "/" + random.pattern().split(separator: "/").dropFirst(2).joined(separator: "/")
            if random.next() % 4 == 0 {
                path += ["/a b", "//", "/:", "/%", "/*r/x"].randomElement(using: &random) ?? ""
            }
            let whole = Result { try makePattern("app://" + path) }
            let short = Result { try makePattern(path, defaultScheme: "app") }
            switch (whole, short) {
            case (.success(let one), .success(let other)): #expect(one.description == other.description)
            case (.failure(let one as CrosstieError), .failure(let other as CrosstieError)):
                #expect(one.message == other.message)
                #expect(number(one.location) == number(other.location) + 6, "\(path)")
            default: Issue.record("\(path): \(whole) and \(short)")
            }
        }
    }

    private func number(_ place: String) -> Int { Int(place.split(separator: " ").last ?? "") ?? -1 }

    /// Any bytes are a pattern or are refused with a place in them.
    @Test func refusalsNameAByteOfThePattern() {
        var random = TestRandom(seed: 23)
        var refused = 0
        for _ in 0..<20_000 {
            var bytes = Array(random.pattern().utf8)
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do {
                _ = try bytes.withUnsafeBytes { try Pattern($0) }
            } catch {
                refused += 1
                let place = number((error as? CrosstieError)?.location ?? "")
                #expect(place >= 0 && place <= bytes.count, "\(String(decoding: bytes, as: UTF8.self)): \(error)")
            }
        }
        #expect(refused > 5_000)
    }
}
