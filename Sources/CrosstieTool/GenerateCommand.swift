import ArgumentParser
import Crosstie

/// `crosstie generate`: makes a URL of a pattern and parameters.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Print the URL that a pattern matches with some parameters."
    )

    @Argument(help: "The pattern.")
    var pattern: String

    @Argument(help: ArgumentHelp("The parameters, each once.", valueName: "name=value"))
    var parameters: [Parameter] = []

    func validate() throws {
        var names: Set<String> = []
        for parameter in parameters where !names.insert(parameter.name).inserted {
            throw ValidationError("'\(parameter.name)' is given twice.")
        }
    }

    func run() throws {
        let values = ValueMap(parameters.map { ($0.name, .string($0.value)) })
        try Output.line(try Bus().generate(pattern, .map(values)))
    }
}
