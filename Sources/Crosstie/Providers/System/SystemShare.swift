/// A message on its way to the system.
struct SystemShare {
    /// The method of sharing a message.
    enum Method: String {
        case mail, clipboard, open

        /// The one that the caller wishes, else the kind's own.
        init(for kind: ShareKind, _ userInfo: Value) throws(CrosstieError) {
            let key = OptionKey.systemMethod.rawValue
            guard let wish = userInfo[key], !wish.isNull else {
                self = kind == .image || kind == .file ? .open : .mail
                return
            }
            guard let method = wish.stringValue.flatMap(Method.init) else {
                throw CrosstieError(
                    .invalidParameter, "the option \(Quotation.quoted(key)) is none of mail, clipboard, open")
            }
            self = method
        }
    }

    let message: Value
    let kind: ShareKind
    let options: SystemProviderOptions
    let files: PrivateFiles
    let request: Request

    func run() throws(CrosstieError) {
        switch try Method(for: kind, request.userInfo) {
        case .mail: try mail()
        case .clipboard: try copy()
        case .open: try open()
        }
    }

    private func text(_ field: String) -> String { message[field]?.stringValue ?? "" }

    /// The content of an image or a file; nil for the other kinds.
    private var data: [UInt8]? { message["data"]?.bytesValue }

    private func mail() throws(CrosstieError) {
        let body = ["text", "description", "link", "dataLink"].map(text).filter { !$0.isEmpty }
        let url = try MailURL.make(subject: text("title"), body: body.joined(separator: "\n"))
        guard let data else { return try SystemTool.run(options.mail, ["--utf8", url], for: request) }
        try withFile(data) { path throws(CrosstieError) in
            try SystemTool.run(options.mail, ["--utf8", "--attach", path, url], for: request)
        }
    }

    private func copy() throws(CrosstieError) {
        switch kind {
        case .text: try Clipboard.copy(text("text"), by: options.clipboard, for: request)
        case .image: try Clipboard.copy(data ?? [], by: options.clipboard, for: request)
        case .file: throw refusal("clipboard")
        default: try Clipboard.copy(text("link"), by: options.clipboard, for: request)
        }
    }

    private func open() throws(CrosstieError) {
        guard let data else { throw refusal("open") }
        try withFile(data) { path throws(CrosstieError) in
            try SystemTool.run(options.opener, [path], for: request)
        }
    }

    private func refusal(_ method: String) -> CrosstieError {
        CrosstieError(.invalidParameter, "'\(kind.rawValue)' cannot be shared by '\(method)'")
    }

    /// The file goes again if nobody has got it.
    private func withFile(_ data: [UInt8], _ body: (String) throws(CrosstieError) -> Void) throws(CrosstieError) {
        let ending = kind == .image ? ImageFormat.of(data)?.ending ?? "" : text("fileExtension")
        let name = FileName.make(from: [text("fileName"), text("title")], ending: ending)
        let path = try files.write(data, named: name)
        do throws(CrosstieError) {
            try body(path)
        } catch {
            files.remove(path)
            throw error
        }
    }
}
