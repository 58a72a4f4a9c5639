// Parsing the URLs of a route set with Foundation's URL: the work before any router's.
import Foundation

let rounds = 5

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

func parse(_ urls: [String]) -> Double {
    let begin = now()
    let parsed = urls.reduce(into: 0) { count, url in count += URL(string: url) == nil ? 0 : 1 }
    return parsed == urls.count ? (now() - begin) / Double(urls.count) : .infinity
}

for (file, work) in [("github.paths", "parse.github"), ("github.escaped", "parse.escaped")] {
    let text = try String(contentsOfFile: "\(CommandLine.arguments[1])/\(file)", encoding: .utf8)
    let urls = text.split(separator: "\n").map { "app:/\($0)" }
    print("\(work)\tFoundation's URL\t\((0..<rounds).map { _ in parse(urls) }.min() ?? .infinity)")
}
