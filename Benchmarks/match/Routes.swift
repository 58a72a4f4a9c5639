import Crosstie
import Glibc

/// The lines of a file of a data set, each a path.
func readLines(_ path: String) -> [String] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var lines: [String] = []
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    while getline(&line, &room, file) > 1, let text = line {
        lines.append(String(cString: text).split(separator: "\n")[0].description)
    }
    free(line)
    return lines
}

/// A table of the set's patterns under the scheme `app`.
func makeTable(_ paths: [String]) throws -> RouteTable? { try fillTable(makeTexts(paths)) }

/// The patterns or URLs of paths, under the scheme `app`.
func makeTexts(_ paths: [String]) -> [[UInt8]] { paths.map { Array("app:/\($0)".utf8) } }

func fillTable(_ patterns: [[UInt8]]) throws -> RouteTable? {
    guard let table = RouteTable.create() else { return nil }
    for (index, text) in patterns.enumerated() {
        let pattern = try text.withUnsafeBytes { try Pattern($0) }
        _ = try table.insert(pattern, value: UInt32(truncatingIfNeeded: index + 1), grace: {})
    }
    return table
}

/// URLs, and what the parser makes of a batch of them at a time: as in a bus, into memory that is used over and over.
struct URLs {
    static let batch = 100
    private static let segmentRoom = 16

    let texts: [[UInt8]]
    private let parts: UnsafeMutablePointer<URLParts>
    private let segments: UnsafeMutablePointer<SegmentRange>
    private let captures: UnsafeMutablePointer<SegmentRange>
    private let areas: UnsafeMutableRawPointer
    private let areaSize: Int

    init(_ paths: [String]) {
        texts = makeTexts(paths)
        areaSize = (texts.map(\.count).max() ?? 0) + URLLimits.slack
        parts = .allocate(capacity: Self.batch)
        segments = .allocate(capacity: Self.batch * Self.segmentRoom + URLLimits.segments)
        captures = .allocate(capacity: URLLimits.captures)
        areas = .allocate(byteCount: Self.batch * areaSize, alignment: 16)
    }

    /// Parses URL `first + index` into place `index`; says whether it could.
    @inline(__always)
    func parse(_ index: Int, from first: Int) -> Bool {
        texts[first + index].withUnsafeBytes { text in
            parseURL(
                text, area: areas + index * areaSize, capacity: areaSize,
                segments: segments + index * Self.segmentRoom, into: parts + index) == .parsed
        }
    }

    /// Matches the URL in place `index`.
    @inline(__always)
    func match(_ index: Int, in table: RouteTable, nearest: Bool = false) -> MatchResult {
        table.match(parts + index, segments: segments + index * Self.segmentRoom, nearest: nearest, into: captures)
    }

    /// Whether every URL takes the route that it should: the numbers of routes from 0, or none to compare with.
    func areRight(in table: RouteTable, _ expected: [String]) -> Bool {
        zip(texts.indices, expected).allSatisfy { number, route in
            parse(0, from: number) && match(0, in: table).value == (UInt32(route) ?? 0) &+ 1
        }
    }
}
