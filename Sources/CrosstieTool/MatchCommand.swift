import ArgumentParser
import Crosstie

/// `crosstie match`: finds the pattern that a URL matches.
struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Print which of some patterns a URL matches, and what it captures.",
        usage: "crosstie match --route <pattern> [--route <pattern> ...] [--json] <url>"
    )

    @Option(
        name: .customLong("route"), help: ArgumentHelp("A pattern; may be repeated.", valueName: "pattern"))
    var patterns: [String]

    @Flag(help: "Print one line of JSON.")
    var json = false

    @Argument(help: "The URL.")
    var url: String

    func run() throws {
        let bus = try Bus()
        try bus.setSystemOpener(isOn: false)
        for pattern in patterns {
            do throws(CrosstieError) {
                try bus.route(pattern) { .map(MatchCommand.describe($0)) }
            } catch {
                throw Refusal("\(pattern): \(error)")
            }
        }
        let match = try bus.open(url).value
        try json ? Output.line(match.json().harmlessJSON) : show(match)
    }

    /// A request's description of the route that matched.
    private static func describe(_ request: Request) -> ValueMap {
        ValueMap([
            ("route", .string(request.pattern)),
            ("url", .string(request.url)),
            ("params", .map(ValueMap(request.pathParameters.map { ($0.name, .string($0.value)) }))),
            ("query", Value(pairs: request.query)),
        ])
    }

    private func show(_ match: Value) throws {
        try Output.field("route", match["route"]?.stringValue ?? "")
        for (name, value) in match["params"]?.mapValue ?? ValueMap() {
            try Output.pair("param", name, value.stringValue ?? "")
        }
        for pair in match["query"]?.listValue ?? [] {
            try Output.pair("query", pair[0]?.stringValue ?? "", pair[1]?.stringValue ?? "")
        }
    }
}
