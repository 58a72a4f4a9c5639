import Testing

@testable import Crosstie

/// The parameters of a request in one map, and its query by position.
@Suite struct ParameterMapTests {
    private let bus: Bus

    init() throws { bus = try Bus() }

    /// Opens URLs, and compares the map of each with the one that Swift handlers get.
    private func compare(_ pattern: String, _ urls: [String]) throws {
        let compared = Counter()
        try bus.route(pattern) { request in
            let map = try #require(request.block).makeParameterMap()
            defer { map.release() }
            #expect(Value(borrowing: map) == request.params, "\(request.url)")
            #expect(Value(borrowing: map).mapValue?.keys == request.params.mapValue?.keys)
            compared.add()
            return nil
        }
        for url in urls { _ = try? bus.open(url) }
        #expect(compared.count > 0)
    }

    @Test func typesAndQueries() throws {
        try compare(
            "app://:host/:id<int>/:ratio<float>/:on<bool>/*rest",
            [
                "app://h/1/2.5/true/a/b", "app://h/-9223372036854775808/1e400/false/?q=1&r=%C3%A9&s",
                "app://h/7/1/true/x?id=8&host=y&q=1&q=2&=&==&a=b=c&%FF=%FF",
                "app://h/1/1/true/?%FE=1&%FF=2&%EF%BF%BD=3",
            ])
    }

    @Test func manyPairs() throws {
        let pairs = (0..<128).map { "key\($0)=value\($0)" }.joined(separator: "&")
        try compare("app://many", ["app://many?" + pairs, "app://many?" + pairs.dropLast(3) + "&key0=again"])
    }

    @Test func randomURLs() throws {
        var random = TestRandom(seed: 5)
        try compare("app://h/*rest", (0..<3_000).map { _ in "app://h/" + random.url() })
    }

    @Test func theQueryByPositionInAnyOrder() throws {
        try bus.route("app://inner") { _ in nil }
        try bus.route("app://outer") { [bus] request in
            let block = try #require(request.block)
            let key = { (position: Int) in
                block.queryPair(at: position).map { String(decoding: $0.key, as: UTF8.self) } ?? "-"
            }
            #expect([0, 1, 2, 3, 1, 0, 2, 3, 3, -1, 2].map(key).joined() == "abc-bac---c")
            try bus.open("app://inner?x=1&y=2")
            #expect([1, 2, 0].map(key).joined() == "bca")
            return nil
        }
        try bus.open("app://outer?a=1&b=2&c=3")
    }

    @Test func theQueryOfAURLThatAnInterceptorReplaces() throws {
        let seen = Counter()
        try bus.route("app://new") { request in
            #expect(request.query.map(\.name) == ["longer", "than", "before"])
            seen.add()
            return nil
        }
        try bus.intercept { request in
            guard request.host == "old" else {
                try request.proceed()
                return nil
            }
            #expect(request.query.map(\.name) == ["a", "b"])
            try request.rewrite("app://new?longer=1&than=2&before=3")
            return nil
        }
        try bus.open("app://old?a=1&b=2")
        #expect(seen.count == 1)
    }
}
