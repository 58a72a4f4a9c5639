import ArgumentParser
import Crosstie

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
