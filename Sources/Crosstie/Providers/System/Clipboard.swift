/// The programs that put something on the clipboard.
struct Clipboard {
    private let tool: String
    private let arguments: [String]

    /// Copies a text.
    static func copy(_ text: String, by host: String, for request: Request) throws(CrosstieError) {
        let tool = try host.isEmpty ? first(of: candidates(type: nil)) : Clipboard(tool: host, arguments: [])
        try SystemTool.run(tool.tool, tool.arguments, input: Array(text.utf8), for: request)
    }

    /// Copies an image.
    static func copy(_ image: [UInt8], by host: String, for request: Request) throws(CrosstieError) {
        guard host.isEmpty else { throw CrosstieError(.invalidParameter, "\(host) takes text alone") }
        guard let format = ImageFormat.of(image) else {
            throw CrosstieError(.invalidParameter, "'data' is no image of a format that can be copied")
        }
        let tool = try first(of: candidates(type: format.type))
        try SystemTool.run(tool.tool, tool.arguments, input: image, for: request)
    }

    /// In the order of preference.
    ///
    /// - Parameter type: an image's; nil for text.
    private static func candidates(type: String?) -> [Clipboard] {
        let wayland = Clipboard(tool: "wl-copy", arguments: ["--type", type ?? "text/plain;charset=utf-8"])
        let xclip = Clipboard(
            tool: "xclip", arguments: ["-selection", "clipboard"] + (type.map { ["-target", $0] } ?? []))
        let xsel = Clipboard(tool: "xsel", arguments: ["--clipboard", "--input"])
        return (Environment.value("WAYLAND_DISPLAY") == nil ? [] : [wayland]) + [xclip] + (type == nil ? [xsel] : [])
    }

    private static func first(of candidates: [Clipboard]) throws(CrosstieError) -> Clipboard {
        if let found = candidates.first(where: { Program.find($0.tool) != nil }) { return found }
        let names = candidates.map(\.tool).joined(separator: " or ")
        throw CrosstieError(.notInstalled, "nothing that copies this is installed: \(names)")
    }
}
