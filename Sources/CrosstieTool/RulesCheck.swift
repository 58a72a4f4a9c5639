import ArgumentParser
import Crosstie

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
