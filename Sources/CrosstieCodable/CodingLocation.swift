import Crosstie

/// A location in a value, such as `items[3].price`.
struct CodingLocation {
    /// The deepest nesting of lists and maps, as for every value.
    static var maximumDepth: Int { 128 }

    let path: [any CodingKey]

    init(_ path: [any CodingKey] = []) { self.path = path }

    func appending(_ key: some CodingKey) -> CodingLocation { CodingLocation(path + [key]) }

    func appending(_ index: Int) -> CodingLocation { CodingLocation(path + [IndexKey(index)]) }

    /// Checked before descending, because a hostile value may be arbitrarily deep.
    var isTooDeep: Bool { path.count >= CodingLocation.maximumDepth }

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

extension Value {
    /// The kind of the value, for error messages.
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
    /// An error of an encoder or a decoder, with the location in the value.
    static func coding(_ status: Status, _ message: String, _ path: [any CodingKey]) -> CrosstieError {
        let location = CodingLocation.text(path)
        return CrosstieError(status, location.isEmpty ? message : "\(location): \(message)", at: location)
    }

    /// The same for an error thrown by a type's own code, or by the standard library.
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
