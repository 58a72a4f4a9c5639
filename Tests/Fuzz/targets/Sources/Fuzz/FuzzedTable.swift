@testable import Crosstie

/// A route table beside a plain list of what has to be in it.
final class FuzzedTable {
    struct Match: Equatable {
        let value: UInt32
        /// Of the host and the path's segments, how many the route took.
        let taken: Int
        let captures: [[UInt8]]
    }

    struct Route {
        let pattern: Pattern
        let shape: [[UInt8]]
        let rank: [Int]

        init(_ pattern: Pattern) {
            (self.pattern, shape, rank) = (pattern, Matching.shape(pattern), Matching.rank(pattern))
        }
    }

    /// Under the value that the route has in the table.
    private(set) var routes: [UInt32: Route] = [:]
    private var inserted: UInt32 = 0
    private let table: RouteTable
    private let captures = UnsafeMutablePointer<SegmentRange>.allocate(capacity: URLLimits.captures)

    init?() {
        guard let table = RouteTable.create() else { return nil }
        self.table = table
    }

    deinit {
        table.destroy()
        captures.deallocate()
    }

    /// Adds a route; one of the same shape has to be in its way.
    func insert(_ pattern: Pattern) {
        inserted += 1
        let route = Route(pattern)
        let same = routes.first { $0.value.shape == route.shape }
        let result = try? table.insert(pattern, value: inserted, grace: {})
        let expected = same.map { RouteTable.InsertResult.conflict($0.key) } ?? .inserted
        demand(result == expected, "\(pattern.description): \(String(describing: result))")
        if same == nil { routes[inserted] = route }
    }

    func remove(_ pattern: Pattern, value: UInt32) {
        demand(table.remove(pattern) == value, "\(pattern.description) is another route")
        demand(table.remove(pattern) == nil, "\(pattern.description) is still there")
        routes[value] = nil
    }

    /// Checks what a URL matches, from the best to the last and past it, in both modes. Returns the exact matches.
    @discardableResult
    func check(_ url: FuzzedURL) -> [Match] {
        let nearest = matches(url)
        let exact = nearest.filter { $0.taken == 0 || $0.taken == url.segmentCount + 1 }
        check(url, nearest, nearest: true)
        check(url, exact, nearest: false)
        let scheme = url.text(url.parts.scheme)
        let ours = routes.values.contains { $0.pattern.text.prefix($0.pattern.schemeLength).elementsEqual(scheme) }
        demand(table.hasScheme(url.location) == ours, "the scheme of \(url) over \(self)")
        return exact
    }

    private func check(_ url: FuzzedURL, _ expected: [Match], nearest: Bool) {
        for skip in 0...expected.count {
            let (found, match) = (find(url, skip, nearest), skip < expected.count ? expected[skip] : nil)
            demand(found == match, "number \(skip) for \(url) is \(shown(found)), not \(shown(match)), over \(self)")
        }
    }

    /// By the rules, the longest part of the URL first, of equal ones the most precise pattern.
    private func matches(_ url: FuzzedURL) -> [Match] {
        let found = routes.compactMap { value, route in
            Matching.part(route.pattern, url).map { part in
                let match = Match(value: value, taken: part.count, captures: part.captures)
                return (rank: [-part.count] + route.rank, match: match)
            }
        }
        return found.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.map(\.match)
    }

    private func shown(_ match: Match?) -> String {
        guard let match else { return "none" }
        return "\(match.value) with \(match.captures.map { String(decoding: $0, as: UTF8.self) }) of \(match.taken)"
    }
}

/// The result of the table itself.
extension FuzzedTable {
    private func find(_ url: FuzzedURL, _ skip: Int, _ nearest: Bool) -> Match? {
        let result = table.match(url.location, segments: url.ranges, skip: skip, nearest: nearest, into: captures)
        switch result.outcome {
        case .none: return nil
        case .limit:
            demand(false, "the step budget ran out for \(url) over \(self)")
            return nil
        case .needsRoom: return findWithRoom(url, skip, nearest, Int(result.value))
        case .found: return match(result, of: url)
        }
    }

    /// With the room that the table asked for, it does not ask again.
    private func findWithRoom(_ url: FuzzedURL, _ skip: Int, _ nearest: Bool, _ room: Int) -> Match? {
        demand(room > url.capacity, "asks for \(room) bytes of area, having \(url.capacity)")
        let larger = FuzzedURL(url.source, capacity: room)
        demand(larger.isParsed, "a larger area makes it \(larger.result)")
        let result = table.match(
            larger.location, segments: larger.ranges, skip: skip, nearest: nearest, into: captures)
        demand(result.outcome == .found, "with all the room it asked for, a match is \(result.outcome)")
        larger.checkRanges()
        return match(result, of: larger)
    }

    private func match(_ result: MatchResult, of url: FuzzedURL) -> Match {
        let texts = (0..<Int(result.captureCount)).map { index in
            let end = captures[index].end
            demand(end <= Int(url.parts.used), "a capture ends at \(end) of \(url.parts.used)")
            return Array(url.text(captures[index]))
        }
        return Match(value: result.value, taken: Int(result.matchedSegments), captures: texts)
    }
}

extension FuzzedTable: CustomStringConvertible {
    var description: String {
        "\(routes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.pattern.description)" })"
    }
}
