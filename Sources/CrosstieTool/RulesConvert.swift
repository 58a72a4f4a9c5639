import ArgumentParser
import Crosstie

/// `crosstie rules convert`: prints a document in the current form.
struct RulesConvert: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Print a document of either form in the current one.")

    @OptionGroup var input: RulesInput

    func run() throws { try Output.line(try input.load().document.json(pretty: true)) }
}
