import ArgumentParser
import Crosstie

/// A parameter on the command line.
struct Parameter: ExpressibleByArgument {
    let name: String
    let value: String

    /// Nil without a `=`; the first one counts.
    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}
