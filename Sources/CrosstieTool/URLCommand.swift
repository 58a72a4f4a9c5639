import ArgumentParser
import Crosstie

/// `crosstie url`: prints a URL's normal form and parts, or its error.
struct URLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Print the normal form and the parts of URLs, or why they are refused."
    )

    @Flag(help: "Print a line of JSON for each URL, refused ones included.")
    var json = false

    @Argument(help: "The URLs.")
    var urls: [String]

    func run() throws {
        var isAnyRefused = false
        for url in urls {
            do {
                let parsed = try ParsedURL(url)
                try json ? Output.json(parsed.map(of: url)) : parsed.show()
            } catch let failure as ParseFailure {
                isAnyRefused = true
                try refuse(url, failure)
            }
        }
        if isAnyRefused { throw ExitCode.failure }
    }

    private func refuse(_ url: String, _ failure: ParseFailure) throws {
        Output.complain(Excerpt(of: url, at: Int(failure.position)).marked(with: failure.error.description))
        guard json else { return }
        let error = ValueMap([
            ("status", .string(failure.status.name)),
            ("message", .string(failure.error.message)),
            ("byte", .int(Int64(failure.position))),
        ])
        try Output.json(ValueMap([("input", .string(url)), ("error", .map(error))]))
    }
}

extension ParsedURL {
    fileprivate func show() throws {
        try Output.field("url", text)
        try Output.field("scheme", scheme)
        if !host.isEmpty { try Output.field("host", host) }
        if let port { try Output.field("port", "\(port)") }
        try Output.field("path", path)
        for segment in segments { try Output.field("segment", segment.quoted()) }
        for pair in query { try Output.pair("query", pair.name, pair.value) }
        if let fragment { try Output.field("fragment", fragment) }
    }

    fileprivate func map(of input: String) -> ValueMap {
        ValueMap([
            ("input", .string(input)),
            ("url", .string(text)),
            ("scheme", .string(scheme)),
            ("host", .string(host)),
            ("port", port.map { .int(Int64($0)) } ?? .null),
            ("path", .string(path)),
            ("segments", .list(segments.map { .string($0) })),
            ("query", Value(pairs: query)),
            ("fragment", fragment.map { .string($0) } ?? .null),
        ])
    }
}
