// The parser and the matcher alone, on the route sets that datasets.py writes.
// Usage: CrosstieBench <data> <set>…
import Crosstie
import Glibc

let rounds = 15

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Reports the median of what one of `count` steps takes.
func measure(_ work: String, count: Int, _ step: () -> Bool) {
    var figures: [Double] = []
    for _ in 0..<rounds {
        let begin = now()
        guard step() else {
            print("# failed: \(work)")
            return
        }
        figures.append((now() - begin) / Double(count))
    }
    print("\(work)\tcrosstie\t\(figures.sorted()[rounds / 2])")
}

func parseAll(_ urls: URLs) -> Bool {
    var parsed = 0
    for index in urls.texts.indices where urls.parse(index) { parsed += 1 }
    return parsed == urls.texts.count
}

func matchAll(_ urls: URLs, _ table: RouteTable) -> Bool {
    withUnsafeTemporaryAllocation(of: SegmentRange.self, capacity: URLLimits.captures) { captures in
        guard let room = captures.baseAddress else { return false }
        var found = 0
        for index in urls.texts.indices {
            let segments = urls.segments + index * URLs.segmentRoom
            if table.match(urls.parts + index, segments: segments, into: room).outcome == .found { found += 1 }
        }
        return found == urls.texts.count
    }
}

func measure(_ directory: String, _ set: String) throws {
    guard let table = try makeTable(readLines("\(directory)/\(set).routes")) else { return }
    let urls = URLs(readLines("\(directory)/\(set).paths"))
    measure("parse.\(set)", count: urls.texts.count) { parseAll(urls) }
    measure("match.\(set)", count: urls.texts.count) { matchAll(urls, table) }
}

for set in CommandLine.arguments.dropFirst(2) {
    try measure(CommandLine.arguments[1], set)
}
