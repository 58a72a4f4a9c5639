@testable import Crosstie

/// A route table beside a plain list of what has to be in it.
final class FuzzedTable {
    struct Match: Equatable {
        let value: UInt32
        let captures: [[UInt8]]
    }

    /// Under the value that the route has in the table.
    private(set) var routes: [UInt32: Pattern] = [:]
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
        let same = routes.first { Rules.shape($0.value) == Rules.shape(pattern) }
        let result = try? table.insert(pattern, value: inserted, grace: {})
        demand(
            result == (same.map { .conflict($0.key) } ?? .inserted),
            "\(pattern.description): \(String(describing: result))")
        if same == nil { routes[inserted] = pattern }
    }

    func remove(_ pattern: Pattern, value: UInt32) {
        demand(table.remove(pattern) == value, "\(pattern.description) is another route")
        demand(table.remove(pattern) == nil, "\(pattern.description) is still there")
        routes[value] = nil
    }

    /// Checks what a URL matches, from the best to the last and past it. Returns the matches.
    @discardableResult
    func check(_ url: FuzzedURL) -> [Match] {
        let expected = matches(url)
        for (skip, match) in expected.enumerated() {
            let found = find(url, skip: skip)
            demand(found == match, "number \(skip) for \(url) is \(shown(found)), not \(shown(match)) over \(self)")
        }
        let past = find(url, skip: expected.count)
        demand(past == nil, "number \(expected.count) for \(url) is \(shown(past)) over \(self)")
        let scheme = url.text(url.parts.scheme)
        let ours = routes.values.contains { $0.text.prefix($0.schemeLength).elementsEqual(scheme) }
        demand(
            table.hasScheme(url.location) == ours, "the scheme \(String(decoding: scheme, as: UTF8.self)) over \(self)")
        return expected
    }

    /// By the rules, best first.
    private func matches(_ url: FuzzedURL) -> [Match] {
        let found = routes.compactMap { value, pattern in
            Rules.captures(pattern, url).map { (rank: Rules.rank(pattern), match: Match(value: value, captures: $0)) }
        }
        return found.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.map(\.match)
    }

    private func find(_ url: FuzzedURL, skip: Int) -> Match? {
        let result = table.match(url.location, segments: url.ranges, skip: skip, into: captures)
        switch result.outcome {
        case .none: return nil
        case .limit:
            demand(false, "the step budget ran out over \(self)")
            return nil
        case .needsRoom: return findWithRoom(url, skip: skip, Int(result.value))
        case .found:
            return Match(value: result.value, captures: (0..<Int(result.captureCount)).map { taken(url, captures[$0]) })
        }
    }

    /// With the room that the table asked for, it does not ask again.
    private func findWithRoom(_ url: FuzzedURL, skip: Int, _ room: Int) -> Match? {
        demand(room > url.capacity, "asks for \(room) bytes of area, having \(url.capacity)")
        let larger = FuzzedURL(url.source, capacity: room)
        demand(larger.isParsed, "a larger area makes it \(larger.result)")
        let result = table.match(larger.location, segments: larger.ranges, skip: skip, into: captures)
        demand(result.outcome == .found, "with all the room it asked for, a match is \(result.outcome)")
        larger.checkRanges()
        return Match(value: result.value, captures: (0..<Int(result.captureCount)).map { taken(larger, captures[$0]) })
    }

    private func shown(_ match: Match?) -> String {
        guard let match else { return "none" }
        return "\(match.value) with \(match.captures.map { String(decoding: $0, as: UTF8.self) })"
    }

    private func taken(_ url: FuzzedURL, _ range: SegmentRange) -> [UInt8] {
        demand(range.end <= Int(url.parts.used), "a capture ends at \(range.end) of \(url.parts.used)")
        return Array(url.text(range))
    }
}

extension FuzzedTable: CustomStringConvertible {
    var description: String { "\(routes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.description)" })" }
}
