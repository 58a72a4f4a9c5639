import ArgumentParser

/// The options of all these commands.
struct SchemeArguments: ParsableArguments {
    @Flag(help: "Print an object of JSON in each line.")
    var json = false

    var report: SchemeReport { SchemeReport(isJSON: json) }
}
