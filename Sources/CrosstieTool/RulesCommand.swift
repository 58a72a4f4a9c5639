import ArgumentParser
import Crosstie

/// `crosstie rules`: reads rule documents as a host that loads them does.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Check and convert rule documents, and try URLs on them.",
        subcommands: [RulesCheck.self, RulesConvert.self, RulesOpen.self]
    )
}

/// The document, and the options of a host that loads it.
struct RulesInput: ParsableArguments {
    @Argument(help: "The rule document, a JSON file.")
    var file: String

    @Option(help: "The platform whose targets are used.")
    var platform = ""

    @Option(
        name: .customLong("public-scheme"),
        help: ArgumentHelp("For a document in the older form, which has no lists.", valueName: "scheme"))
    var publicSchemes: [String] = []

    @Option(name: .customLong("private-scheme"), help: ArgumentHelp("Likewise.", valueName: "scheme"))
    var privateSchemes: [String] = []

    @Option(name: .customLong("route-host"), help: ArgumentHelp("Likewise.", valueName: "host"))
    var routeHosts: [String] = []

    @Option(name: .customLong("web-host"), help: ArgumentHelp("Likewise.", valueName: "host"))
    var webHosts: [String] = []

    /// A bus with the document and without a system opener.
    func load() throws -> (bus: Bus, document: Value) {
        let options = RuleOptions(
            platform: platform, publicSchemes: publicSchemes, privateSchemes: privateSchemes, routeHosts: routeHosts,
            webHosts: webHosts)
        let bus = try Bus()
        try bus.setSystemOpener(isOn: false)
        do throws(CrosstieError) {
            try bus.loadRules(file: file, options)
        } catch {
            let location = error.location.isEmpty ? file : "\(file): \(error.location)"
            throw Refusal("\(location): \(error.message)")
        }
        return (bus, try bus.rules() ?? .null)
    }
}

/// `crosstie rules check`: checks whether a document would be loaded.
struct RulesCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a document and print its errors.")

    @OptionGroup var input: RulesInput

    func run() throws {
        let rules = try input.load().document
        let all = rules["rules"]?.listValue ?? []
        let open = all.filter { $0["visibility"] == "public" }.count
        let version = rules["version"]?.stringValue ?? ""
        try Output.line("version \(version), \(all.count) \(all.count == 1 ? "rule" : "rules"), \(open) public")
    }
}

/// `crosstie rules convert`: prints a document in the current form.
struct RulesConvert: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Print a document of either form in the current one.")

    @OptionGroup var input: RulesInput

    func run() throws { try Output.line(try input.load().document.json(pretty: true)) }
}

/// `crosstie rules open`: prints the rule that a URL reaches.
struct RulesOpen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Print the rule that a URL from outside reaches, with its parameters.",
        discussion: "No handler runs. The exit status is 1, with the reason, if a host would refuse the URL.")

    @OptionGroup var input: RulesInput

    @Argument(help: "The URL.")
    var url: String

    @Flag(help: "As if the host itself opened it.")
    var local = false

    func run() throws {
        let bus = try input.load().bus
        try bus.setNavigator { request in ["rule": request.rule ?? .null, "params": request.params] }
        let found: Value
        do throws(CrosstieError) {
            found = try bus.open(url, origin: local ? .local : .remote).value
        } catch {
            throw Refusal("\(url): \(error.status.name): \(error)")
        }
        try Output.field("rule", found["rule"]?["id"]?.stringValue ?? "")
        for part in ["target", "paramsTarget", "openType"] {
            if let text = found["rule"]?[part]?.stringValue { try Output.field(part, text) }
        }
        for (name, value) in found["params"]?.mapValue ?? ValueMap() {
            try Output.field("param", "\(name.quoted()) = \(value.json().harmlessJSON)")
        }
    }
}
