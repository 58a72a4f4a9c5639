import ArgumentParser
import Crosstie

/// `crosstie scheme list`
struct SchemeList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the applications that 'install' has written, with the application that opens each scheme."
    )

    @OptionGroup var output: SchemeArguments

    func run() throws {
        let directories = try XDGDirectories()
        let lookup = SchemeLookup(directories: directories)
        for directory in directories.applications {
            for (app, path, entry) in SchemeLocation.ours(in: directory) {
                let defaults = entry.schemes.map { ($0, lookup.current($0)?.id ?? "") }
                if output.json {
                    try Output.json(
                        ValueMap([
                            ("app", .string(app.text)), ("file", .string(path)), ("program", .string(entry.program)),
                            ("defaults", .map(ValueMap(defaults.map { ($0, .string($1)) }))),
                        ]))
                } else {
                    try show(app, path, entry, defaults)
                }
            }
        }
    }

    private func show(
        _ app: ApplicationID, _ path: String, _ entry: DesktopEntry, _ defaults: [(String, String)]
    ) throws {
        try Output.field("app", app.text)
        try Output.field("file", path.quoted())
        try Output.field("program", entry.program.quoted())
        for (scheme, id) in defaults {
            let opener = id == app.file ? "the default" : id.isEmpty ? "no default" : "opened by \(id)"
            try Output.field("scheme", "\(scheme): \(opener)".harmless)
        }
    }
}
