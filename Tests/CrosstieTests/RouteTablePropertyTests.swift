import Testing

@testable import Crosstie

/// The rules of matching, spelled out for one pattern and one URL at a time.
private struct NaiveMatcher {
    /// Compares like precedence: smaller is better.
    static func rank(_ pattern: Pattern) -> [Int] {
        guard !pattern.isFallback else { return [Int.max] }
        return pattern.segments.map { segment in
            switch segment.kind {
            case .literal: 0
            case .suffix: 100 + 100 - Int(segment.literal.length)
            case .typed: 300 + Int(segment.type.rawValue)
            case .parameter: 400
            case .skip: 500
            case .any: 600
            case .rest: 700
            }
        }
    }

    /// The captures of a pattern that takes these components, all of them.
    static func captures(_ pattern: Pattern, _ components: [String]) -> [String]? {
        guard !pattern.isFallback else { return components.isEmpty ? [] : nil }
        var captures: [String] = []
        for (index, segment) in pattern.segments.enumerated() {
            guard index < components.count else { return nil }
            if segment.kind == .rest {
                let rest = components[index...]
                guard rest.first?.isEmpty == false, !rest.contains(where: hasSlash) else { return nil }
                return captures + [rest.joined(separator: "/")]
            }
            guard let capture = capture(pattern, segment, components[index]) else { return nil }
            captures += capture
        }
        return components.count == pattern.segments.count ? captures : nil
    }

    /// The result of one pattern for a URL: the captures of its longest leading part, and the length of that.
    static func longest(_ pattern: Pattern, _ components: [String]) -> (taken: Int, captures: [String])? {
        for taken in (0...components.count).reversed() {
            if let captures = captures(pattern, Array(components[..<taken])) { return (taken, captures) }
        }
        return nil
    }

    private static func hasSlash(_ text: String) -> Bool { text.contains("/") || text.contains("\\") }

    private static func capture(_ pattern: Pattern, _ segment: PatternSegment, _ text: String) -> [String]? {
        let literal = pattern.string(segment.literal)
        if segment.kind == .literal { return text == literal ? [] : nil }
        guard !text.isEmpty, segment.kind == .any || !hasSlash(text) else { return nil }
        switch segment.kind {
        case .suffix: return text.hasSuffix(literal) && text != literal ? [String(text.dropLast(literal.count))] : nil
        case .typed:
            guard Array(text.utf8).withUnsafeBytes(segment.type.accepts) else { return nil }
            return [segment.type == .uuid ? text.lowercased() : text]
        case .skip: return []
        default: return [text]
        }
    }
}

@Suite struct RouteTablePropertyTests {
    private static let texts = [
        "a", "b", "ab", "7", "-7", "1.5", "true", "x.html", "x.y.l", ".l", "a%2Fb", "a%5Cb", "",
        "a-literal-of-more-than-16-bytes", "0123ABCD-89ab-cdef-0123-456789abcdef", "a%20b",
    ]
    private static let hosts = ["", "a", "AB", "7", "X.l", "True", "[::1]"]

    private static func randomPattern(_ random: inout TestRandom) -> String {
        let hosts = ["", "a", "ab", ":h", "~", ":h<int>", ":h.l", ":h<bool>", "[0::1]"]
        let steps = [
            "a", "b", "ab", "7", "true", "x.html", "a-literal-of-more-than-16-bytes", ":p", ":p", ":p<int>", ":p<uint>",
            ":p<word>", ":p<bool>", ":p<any>", ":p<float>", ":p.html", ":p.l", ":p.y.l", ":pl", ":p<uuid>", "~",
            "a%20b",
            ":p%20b",
        ]
        if random.next() % 40 == 0 { return "app://" }
        var segments = [hosts.randomElement(using: &random) ?? ""]
        for index in 0..<(random.next() % 5) {
            let step = steps.randomElement(using: &random) ?? ""
            segments.append(step.replacing(":p", with: ":p\(index)"))
        }
        if random.next() % 5 == 0 { segments.append("*r") }
        return "app://" + segments.joined(separator: "/") + (segments == [""] ? "/" : "")
    }

    private static func randomURL(_ random: inout TestRandom) -> String {
        var url = "app://" + (hosts.randomElement(using: &random) ?? "")
        for _ in 0..<(random.next() % 6) { url += "/" + (texts.randomElement(using: &random) ?? "") }
        return url
    }

    /// All matches in nearest mode, best first: the longest part, then precedence. The exact ones and the scheme's own
    /// route are what the exact mode gives.
    private static func expected(_ patterns: [String], _ url: ParsedURL) throws -> [RouteFixture.Match] {
        let components = [url.text(url.ranges[0])] + url.segments
        let matching = try patterns.compactMap { text -> ([Int], RouteFixture.Match)? in
            let pattern = try makePattern(text)
            guard let (taken, found) = NaiveMatcher.longest(pattern, components) else { return nil }
            var captures = found
            // A host is compared in its normal form, and captured as it was written.
            if let host = pattern.segments.first, host.captures, host.type != .bool {
                captures[0] = String(url.text(url.parts.writtenHost).dropLast(Int(host.literal.length)))
            }
            let whole = taken == components.count
            let match = RouteFixture.Match(pattern: text, captures: captures, taken: whole ? nil : taken)
            return ([-taken] + NaiveMatcher.rank(pattern), match)
        }
        return matching.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }

    private static func check(_ fixture: RouteFixture, _ live: [String], _ random: inout TestRandom) throws -> Int {
        var found = 0
        for _ in 0..<25 {
            let url = randomURL(&random)
            let all = try expected(live, ParsedURL(url))
            let exact = all.filter { $0.taken ?? 0 == 0 }
            for (nearest, matches) in [(true, all), (false, exact)] {
                for (skip, match) in matches.enumerated() {
                    #expect(fixture.match(url, skip: skip, nearest: nearest) == match, "\(url) over \(live)")
                }
                #expect(fixture.match(url, skip: matches.count, nearest: nearest) == nil, "\(url) over \(live)")
                found += matches.count
            }
        }
        return found
    }

    @Test(arguments: 0..<60)
    func agreesWithTheRulesInAnyOrder(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed))
        let fixture = try RouteFixture()
        var live: [String] = []
        for _ in 0..<(1 + random.next() % 60) {
            let pattern = Self.randomPattern(&random)
            if try fixture.add(pattern) == .inserted { live.append(pattern) }
        }
        var found = try Self.check(fixture, live, &random)
        for pattern in live.shuffled(using: &random).prefix(live.count / 2) {
            #expect(try fixture.remove(pattern) == pattern)
            live.removeAll { $0 == pattern }
        }
        found += try Self.check(fixture, live, &random)
        for _ in 0..<60 {
            let pattern = Self.randomPattern(&random)
            if try fixture.add(pattern) == .inserted { live.append(pattern) }
        }
        found += try Self.check(fixture, live, &random)
        #expect(found > 0)
        let shuffled = try RouteFixture(live.shuffled(using: &random))
        _ = try Self.check(shuffled, live, &random)
    }
}
