import Crosstie

/// A place in a value, as it is written: `items[3].price`.
struct CodingPlace {
    /// How many lists and maps may be inside each other, as for every value.
    static var maximumDepth: Int { 128 }

    let path: [any CodingKey]

    init(_ path: [any CodingKey] = []) { self.path = path }

    func appending(_ key: some CodingKey) -> CodingPlace { CodingPlace(path + [key]) }

    func appending(_ index: Int) -> CodingPlace { CodingPlace(path + [IndexKey(index)]) }

    /// Before going in: hostile values are as deep as their sender likes.
    var isTooDeep: Bool { path.count >= CodingPlace.maximumDepth }

    static func text(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text
    }
}

/// The index of a list's item as a key.
struct IndexKey: CodingKey {
    let intValue: Int?
    var stringValue: String { intValue.map { "\($0)" } ?? "" }

    init(_ index: Int) { intValue = index }

    init?(intValue: Int) { self.init(intValue) }

    init?(stringValue: String) { return nil }
}

/// The key of an entry where the type says only its text.
struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { return nil }

    /// What `superEncoder()` and `superDecoder()` go by.
    static var parent: TextKey { TextKey("super") }
}

extension Value {
    /// What the value is, in an error's words.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an integer"
        case .double: "a number"
        case .string: "text"
        case .bytes: "bytes"
        case .list: "a list"
        case .map: "a map"
        case .foreign: "a host's object"
        }
    }
}

extension CrosstieError {
    /// An error of an encoder or a decoder, with the place in the value.
    static func coding(_ status: Status, _ message: String, _ path: [any CodingKey]) -> CrosstieError {
        let place = CodingPlace.text(path)
        return CrosstieError(status, place.isEmpty ? message : "\(place): \(message)", at: place)
    }

    /// The same of whatever a type's own code, or the standard library's, has thrown.
    static func coding(_ error: any Error) -> CrosstieError {
        switch error {
        case let error as CrosstieError: error
        case DecodingError.typeMismatch(_, let context):
            coding(.wrongType, context.debugDescription, context.codingPath)
        case DecodingError.valueNotFound(_, let context):
            coding(.wrongType, context.debugDescription, context.codingPath)
        case DecodingError.keyNotFound(let key, let context):
            coding(.invalidParameter, "is missing", context.codingPath + [key])
        case DecodingError.dataCorrupted(let context):
            coding(.invalidParameter, context.debugDescription, context.codingPath)
        case EncodingError.invalidValue(_, let context):
            coding(.wrongType, context.debugDescription, context.codingPath)
        default: CrosstieError(.wrongType, "\(error)")
        }
    }
}
