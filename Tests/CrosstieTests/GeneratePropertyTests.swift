import Testing

@testable import Crosstie

/// Generating is compared with a way that cannot be wrong: escape every byte of the values, open that URL, and look
/// whether the pattern gives the values back.
@Suite struct GeneratePropertyTests {
    /// The pattern's URL with these values, every byte of a path escaped. A host has no escapes.
    private static func escapedURL(_ pattern: Pattern, _ values: [String]) -> String {
        var url = String(decoding: pattern.text[..<pattern.schemeLength], as: UTF8.self) + "://"
        var values = values[...]
        for (index, segment) in pattern.segments.enumerated() {
            let value = segment.captures ? values.removeFirst() : ""
            let text = value + pattern.string(segment.literal)
            if index == 0 {
                url += text
            } else if segment.kind == .rest {
                url +=
                    "/"
                    + text.split(separator: "/", omittingEmptySubsequences: false).map(escaped).joined(separator: "/")
                if text.isEmpty || text.hasSuffix("/") { url += "/" }
            } else {
                url += "/" + escaped(text)
            }
        }
        return pattern.segments.count == 1 ? url + "/" : url
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        text.utf8.map { "%" + ScenarioStep.hex([$0]) }.joined()
    }

    /// The parameter's value after opening: UUIDs are in lower case.
    private static func expected(_ pattern: Pattern, _ values: [String]) -> [[UInt8]] {
        zip(pattern.segments.filter(\.captures), values).map { segment, value in
            segment.type == .uuid ? value.utf8.map(ASCII.lower) : Array(value.utf8)
        }
    }

    private static func opened(_ text: String, by pattern: String) throws -> [[UInt8]]? {
        try RouteFixture([pattern]).match(text)?.captures.map { Array($0.utf8) }
    }

    @Test func aValueIsTakenExactlyIfSomeURLCarriesIt() throws {
        var random = TestRandom(seed: 31)
        var (made, refused) = (0, 0)
        for _ in 0..<20_000 {
            let text = random.pattern()
            let pattern = try makePattern(text)
            guard !pattern.isFallback, !text.contains("~") else { continue }
            let values = pattern.parameterNames.map { _ in random.value() }
            let expected = Self.expected(pattern, values)
            let isPossible = try Self.opened(Self.escapedURL(pattern, values), by: text) == expected
            let url = try? pattern.generate(positional: values)
            #expect((url != nil) == isPossible, "\(text) \(values)")
            if let url {
                made += 1
                #expect(try Self.opened(url, by: text) == expected, "\(url)")
                // But for the host, what is made is in its normal form.
                #expect(ParsedURL(url).normalForm?.lowercased() == url.lowercased() || url.contains("["), "\(url)")
            } else {
                refused += 1
            }
        }
        #expect(made > 2_000 && refused > 2_000)
    }

    @Test func pairsComeBack() throws {
        var random = TestRandom(seed: 32)
        let pattern = try makePattern("app://h/a")
        for _ in 0..<5_000 {
            let query = (0..<Int.random(in: 1..<5, using: &random)).map { _ in
                (name: random.value(), value: random.value())
            }
            let url = try? pattern.generate(positional: [], query: query)
            let hasNUL = query.contains { $0.name.contains("\0") || $0.value.contains("\0") }
            #expect((url == nil) == hasNUL, "\(query)")
            guard let url else { continue }
            #expect(ParsedURL(url).pairs == query.map { "\($0.name)=\($0.value)" }, "\(url)")
        }
    }
}
