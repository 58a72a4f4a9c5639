/// A message to be shared: its kind, and the fields of that.
public struct SharedMessage: Sendable {
    public let kind: ShareKind
    public let fields: ValueMap

    /// A message of any kind. Those of the built-in ones are checked when they are shared.
    public init(_ kind: ShareKind, _ fields: ValueMap) {
        self.kind = kind
        self.fields = fields
    }

    /// The fields beside the content of everything but text.
    public struct Media: Sendable {
        public var title: String?
        public var description: String?
        public var thumbnail: [UInt8]?

        public init(title: String? = nil, description: String? = nil, thumbnail: [UInt8]? = nil) {
            self.title = title
            self.description = description
            self.thumbnail = thumbnail
        }
    }

    /// The mini program.
    public enum MiniProgramRelease: String, Sendable {
        case release, test, preview
    }

    public static func text(_ text: String) -> SharedMessage { SharedMessage(.text, ["text": .string(text)]) }

    public static func image(_ data: [UInt8], _ media: Media = Media()) -> SharedMessage {
        SharedMessage(.image, ["data": .bytes(data)], media)
    }

    public static func audio(_ link: String, dataLink: String? = nil, _ media: Media = Media()) -> SharedMessage {
        SharedMessage(.audio, ["link": .string(link), "dataLink": dataLink.map(Value.string)], media)
    }

    public static func video(_ link: String, _ media: Media = Media()) -> SharedMessage {
        SharedMessage(.video, ["link": .string(link)], media)
    }

    public static func webPage(_ link: String, _ media: Media = Media()) -> SharedMessage {
        SharedMessage(.webPage, ["link": .string(link)], media)
    }

    public static func file(
        _ data: [UInt8], extension fileExtension: String, name: String? = nil, _ media: Media = Media()
    ) -> SharedMessage {
        SharedMessage(
            .file,
            ["data": .bytes(data), "fileExtension": .string(fileExtension), "fileName": name.map(Value.string)], media)
    }

    public static func miniProgram(
        _ id: String, path: String, link: String, _ release: MiniProgramRelease, _ media: Media = Media()
    ) -> SharedMessage {
        SharedMessage(
            .miniProgram,
            [
                "miniProgramID": .string(id), "path": .string(path), "link": .string(link),
                "kind": .string(release.rawValue),
            ], media)
    }

    private init(_ kind: ShareKind, _ fields: KeyValuePairs<String, Value?>, _ media: Media = Media()) {
        let beside: KeyValuePairs<String, Value?> = [
            "title": media.title.map(Value.string), "description": media.description.map(Value.string),
            "thumbnail": media.thumbnail.map(Value.bytes),
        ]
        let all = Array(fields) + Array(beside)
        self.init(kind, ValueMap(all.compactMap { key, value in value.map { (key, $0) } }))
    }

    /// The map that is handed over.
    var value: Value {
        var map = fields
        map[MessageField.identifier] = .string(kind.rawValue)
        return .map(map)
    }
}
