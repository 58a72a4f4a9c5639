import ArgumentParser
import Crosstie

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
