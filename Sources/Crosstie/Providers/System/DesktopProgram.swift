/// An application of the desktop that shall be launched, and what with.
struct DesktopProgram {
    /// The path of its desktop entry.
    let entry: String
    let arguments: [String]

    static var maximumArguments: Int { 64 }

    /// - Parameter program: a map of "desktopEntry", an id, and maybe "arguments", paths and URLs.
    /// - Throws: *invalidParameter*, *limitExceeded*, *notInstalled*.
    init(_ program: Value) throws(CrosstieError) {
        guard let id = program["desktopEntry"]?.stringValue else {
            throw CrosstieError(.invalidParameter, "the program's 'desktopEntry' is missing or no text")
        }
        if let key = program.mapValue?.keys.first(where: { $0 != "desktopEntry" && $0 != "arguments" }) {
            throw CrosstieError(.invalidParameter, "the program's \(Quotation.quoted(key)) is not known")
        }
        arguments = try Self.arguments(program["arguments"] ?? .null)
        guard let entry = try DesktopEntries.find(id) else {
            throw CrosstieError(.notInstalled, "there is no desktop entry \(Quotation.quoted(id))")
        }
        self.entry = entry
    }

    private static func arguments(_ value: Value) throws(CrosstieError) -> [String] {
        if value.isNull { return [] }
        guard let items = value.listValue else {
            throw CrosstieError(.invalidParameter, "the program's 'arguments' are no list")
        }
        guard items.count <= maximumArguments else {
            throw CrosstieError(.limitExceeded, "the program has over \(maximumArguments) arguments")
        }
        var arguments: [String] = []
        for (index, item) in items.enumerated() {
            guard let text = item.stringValue, isPathOrURL(text) else {
                throw CrosstieError(
                    .invalidParameter, "the program's 'arguments[\(index)]' is neither an absolute path nor a URL")
            }
            guard text.utf8.count <= URLLimits.url else {
                throw CrosstieError(
                    .limitExceeded, "the program's 'arguments[\(index)]' is over \(URLLimits.url) bytes")
            }
            arguments.append(text)
        }
        return arguments
    }

    /// Neither can be taken for an option.
    private static func isPathOrURL(_ text: String) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        if text.utf8.first == UInt8(ascii: "/") { return true }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return SchemeName.problem(in: String(text[..<colon])) == nil
    }
}
