/// A desktop entry: the keys of the main group of a desktop file.
struct DesktopEntry {
    static let mimePrefix = "x-scheme-handler/"

    private let values: [String: String]

    /// Reads the main group; a key that occurs twice counts as first given.
    init(_ bytes: [UInt8]) {
        var values: [String: String] = [:]
        var isMain = false
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") {
                isMain = line.hasPrefix("[Desktop Entry]")
            } else if isMain, !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].trimmed
                if values[key] == nil { values[key] = line[line.index(after: equals)...].trimmed }
            }
        }
        self.values = values
    }

    /// The value of a key as written; empty without one.
    subscript(key: String) -> String { values[key] ?? "" }

    /// Whether `crosstie scheme` has written the file.
    var isOurs: Bool { self["X-Crosstie"] == "1" }

    var isHidden: Bool { self["Hidden"] == "true" }

    /// The schemes in the list of types.
    var schemes: [String] {
        self["MimeType"].split(separator: ";").map(\.trimmed).filter { $0.hasPrefix(Self.mimePrefix) }
            .map { String($0.dropFirst(Self.mimePrefix.count)) }
    }

    func declaresAsOurs(_ scheme: URLScheme) -> Bool { isOurs && schemes.contains(scheme.text) }

    /// The program's path: that behind a link of ours or the tool, else the first word of `Exec`.
    var program: String {
        let linked = self["X-Crosstie-Program"]
        if !linked.isEmpty { return DesktopText.unescaped(linked) }
        return DesktopText.firstWord(ofExec: self["Exec"])
    }

    /// A line that tells a reader which program it is.
    var summary: String { "Name=\(self["Name"]), Exec=\(self["Exec"])" }
}

extension StringProtocol {
    /// Without blanks at either end.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
