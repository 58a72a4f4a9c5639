/// A field of a message.
struct MessageField {
    /// The type that it may have.
    enum Form {
        case text, bytes, link
        /// One of a few words.
        case release
    }

    let name: String
    let form: Form
    var isRequired = true

    /// The field with a message's kind.
    static var identifier: String { "identifier" }

    /// Which mini program is meant.
    private static var releases: [String] { ["release", "test", "preview"] }

    /// The fields of all kinds but text.
    private static var media: [MessageField] {
        [
            MessageField(name: "title", form: .text, isRequired: false),
            MessageField(name: "description", form: .text, isRequired: false),
            MessageField(name: "thumbnail", form: .bytes, isRequired: false),
        ]
    }

    private static var link: MessageField { MessageField(name: "link", form: .link) }

    /// The fields of a kind that is built in; nil for another one.
    private static func fields(of kind: ShareKind) -> [MessageField]? {
        switch kind {
        case .text: [MessageField(name: "text", form: .text)]
        case .image: [MessageField(name: "data", form: .bytes)] + media
        case .audio: [link, MessageField(name: "dataLink", form: .link, isRequired: false)] + media
        case .video, .webPage: [link] + media
        case .file:
            [
                MessageField(name: "data", form: .bytes), MessageField(name: "fileExtension", form: .text),
                MessageField(name: "fileName", form: .text, isRequired: false),
            ] + media
        case .miniProgram:
            [
                MessageField(name: "miniProgramID", form: .text), MessageField(name: "path", form: .text), link,
                MessageField(name: "kind", form: .release),
            ] + media
        default: nil
        }
    }

    /// Checks a message of a built-in kind: what it must have is there, and nothing else is. Null stands for nothing.
    /// Its data is not copied for that.
    ///
    /// - Throws: *invalidParameter*.
    static func check(_ message: ValueRef, kind: ShareKind) throws(CrosstieError) {
        guard message.kind == .map, let fields = fields(of: kind) else { return }
        for field in fields { try field.check(message[field.name] ?? .null) }
        for entry in message.entries {
            let key = String(decoding: message.key(of: entry), as: UTF8.self)
            guard key == identifier || fields.contains(where: { $0.name == key }) else {
                throw problem(key, "is no field of \(kind.rawValue)")
            }
        }
    }

    /// Checks that a message could be read, if it is another language's object.
    ///
    /// - Throws: why it has no plain form.
    static func checkPlain(_ message: ValueRef) throws(CrosstieError) {
        guard message.holdsForeign else { return }
        do throws(CrosstieError) {
            try message.materialized().release()
        } catch {
            let location = error.location == "$" ? "" : " (\(error.location))"
            throw CrosstieError(
                error.status, "the message cannot be read\(location): \(error.message)", at: error.location)
        }
    }

    private func check(_ value: ValueRef) throws(CrosstieError) {
        if value.kind == .null {
            guard !isRequired else { throw Self.problem(name, "is missing") }
            return
        }
        guard form.fits(value) else { throw Self.problem(name, form.complaint) }
        guard !isRequired || value.count > 0 else { throw Self.problem(name, "is empty") }
    }

    static func problem(_ field: String, _ what: String) -> CrosstieError {
        CrosstieError(
            .invalidParameter, "the message's \(Quotation.quoted(field)) \(what)", at: String(field.prefix(128)))
    }
}

extension MessageField.Form {
    fileprivate func fits(_ value: ValueRef) -> Bool {
        switch self {
        case .text: value.stringBytes != nil
        case .bytes: value.bytesValue != nil
        case .link: value.string.map { RuleURL().accepts($0) } ?? false
        case .release: value.string.map(MessageField.releases.contains) ?? false
        }
    }

    fileprivate var complaint: String {
        switch self {
        case .text: "is no text"
        case .bytes: "is not bytes"
        case .link: "is no URL"
        case .release: "is none of release, test, preview"
        }
    }
}

extension ValueRef {
    /// The value under a key of a map; nil for none, and for other values.
    subscript(key: String) -> ValueRef? {
        guard kind == .map else { return nil }
        var key = key
        return key.withUTF8 { value(for: UnsafeRawBufferPointer($0)) }
    }

    /// The text; nil for another kind.
    var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }
}

extension ShareKind {
    /// The kinds that go to an endpoint whose provider names none (those of NBus).
    public static func kinds(for endpoint: Endpoint) -> [ShareKind] {
        let everywhere: [ShareKind] = [.text, .image, .audio, .video, .webPage]
        return switch endpoint {
        case .qqFriend, .wechatFriend: everywhere + [.file, .miniProgram]
        case .wechatFavorite, .systemActivity: everywhere + [.file]
        default: everywhere
        }
    }
}
