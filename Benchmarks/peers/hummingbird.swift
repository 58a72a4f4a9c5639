// Matching with Hummingbird's trie, on the route sets that datasets.py writes.
import Glibc

@_spi(Internal) import Hummingbird

let rounds = 15
let builds = 5
let time = 0.3e9

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

func readLines(_ path: String) -> [String] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var lines: [String] = []
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    while getline(&line, &room, file) > 0, let text = line {
        lines.append(String(cString: text).split(separator: "\n").first.map(String.init) ?? "")
    }
    free(line)
    return lines
}

/// The rest of a path has no name there: `/files/*rest` is `/files/**`.
func unnamedRest(_ route: String) -> String {
    route.split(separator: "*", maxSplits: 1).count > 1 ? route.prefix { $0 != "*" } + "**" : route
}

func build(_ routes: [String]) -> RouterTrie<Int> {
    let builder = RouterPathTrieBuilder<Int>()
    for (number, route) in routes.enumerated() { builder.addEntry(RouterPath(route), value: number) }
    return builder.build()
}

/// The lowest of several rounds, as many as there is time for, in nanoseconds for each of `count`.
func lowest(_ rounds: Int, count: Int, _ work: () -> some Any) -> Double {
    let start = now()
    var least = Double.infinity
    for _ in 0..<rounds {
        let begin = now()
        let made = work()
        least = min(least, (now() - begin) / Double(count))
        withExtendedLifetime(made) {}
        if now() - start > time { break }
    }
    return least
}

func matchAll(_ paths: [String], in trie: RouterTrie<Int>) -> Int {
    paths.reduce(into: 0) { found, path in found += trie.resolve(path) == nil ? 0 : 1 }
}

func measure(_ directory: String, _ set: String) {
    let routes = readLines("\(directory)/\(set).routes").map(unnamedRest)
    let paths = readLines("\(directory)/\(set).paths")
    let trie = build(routes)
    let expected = readLines("\(directory)/\(set).expected").map { Int($0) }
    guard paths.map({ trie.resolve($0)?.value }) == expected else {
        return print("# skipped: Hummingbird on \(set) (takes other routes)")
    }
    print("match.\(set)\tHummingbird\t\(lowest(rounds, count: paths.count) { matchAll(paths, in: trie) })")
    print("build.\(set)\tHummingbird\t\(lowest(builds, count: routes.count) { build(routes) })")
}

for set in CommandLine.arguments.dropFirst(2) { measure(CommandLine.arguments[1], set) }
