// The parser and the matcher alone, on the route sets that datasets.py writes; `worst`, what one match costs at most;
// and `churn`, what a writer on another core costs a reader.
// Usage: CrosstieBench <data> <set, worst or churn>…
import Crosstie
import Glibc

let rounds = 15
let builds = 5

func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// The time of parsing and matching, for all URLs together, and the number of those that found a route.
struct Figures {
    var parse = 0.0
    var match = 0.0
    var found = 0
}

/// Parses and matches every URL, a batch at a time.
///
/// - Parameters:
///   - slot: of this thread, where each match is to be in a read section of its own, as in a bus.
///   - clock: read before and after each batch.
func run(
    _ urls: URLs, _ table: RouteTable, on slot: UnsafeMutablePointer<ThreadSlot>? = nil,
    clock: clockid_t = CLOCK_MONOTONIC
) -> Figures {
    var figures = Figures()
    for first in stride(from: 0, to: urls.texts.count, by: URLs.batch) {
        let batch = 0..<min(URLs.batch, urls.texts.count - first)
        let begin = now(clock)
        var parsed = 0
        for index in batch where urls.parse(index, from: first) { parsed += 1 }
        let middle = now(clock)
        if parsed == batch.count {
            for index in batch {
                if let slot { ReadSide.enter(slot) }
                if urls.match(index, in: table).outcome == .found { figures.found += 1 }
                if let slot { ReadSide.leave(slot) }
            }
        }
        figures.parse += middle - begin
        figures.match += now(clock) - middle
    }
    return figures
}

/// Reports the best of several rounds, in nanoseconds for each URL.
func report(_ work: String, _ figures: [Double], count: Int) {
    print("\(work)\tcrosstie\t\((figures.min() ?? 0) / Double(count))")
}

/// The cost of making a table and filling it.
func build(_ patterns: [[UInt8]]) throws -> Double {
    let begin = now()
    let table = try fillTable(patterns)
    let took = now() - begin
    table?.destroy()
    return took
}

func measure(_ directory: String, _ set: String) throws {
    let routes = readLines("\(directory)/\(set).routes")
    guard let table = try makeTable(routes) else { return }
    if set == "deep10k" {
        let patterns = makeTexts(routes)
        report("table.time", try (0..<builds).map { _ in try build(patterns) }, count: routes.count)
        report("table.memory", [Double(table.memory)], count: routes.count)
    }
    let urls = URLs(readLines("\(directory)/\(set).paths"))
    let figures = (0..<rounds).map { _ in run(urls, table) }
    let isRight = urls.areRight(in: table, readLines("\(directory)/\(set).expected"))
    guard isRight, figures.allSatisfy({ $0.found == urls.texts.count }) else { return print("# failed: \(set)") }
    report("parse.\(set)", figures.map(\.parse), count: urls.texts.count)
    report("match.\(set)", figures.map(\.match), count: urls.texts.count)
}

func measureChurn(_ directory: String) throws {
    let set = "\(directory)/deep10k"
    guard let took = try Churn.measure(readLines("\(set).routes"), readLines("\(set).paths")) else { return }
    report("match.quiet", [took.quiet], count: 1)
    report("match.churn", [took.busy], count: 1)
}

for set in CommandLine.arguments.dropFirst(2) {
    switch set {
    case "worst": report("match.worst", [try Hostile.worst()], count: 1)
    case "churn": try measureChurn(CommandLine.arguments[1])
    default: try measure(CommandLine.arguments[1], set)
    }
}
