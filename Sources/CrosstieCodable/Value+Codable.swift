import Crosstie

/// A value as a property of a Codable type: this package's encoder and decoder keep it unchanged, others encode its
/// content.
extension Value: Codable {
    /// - Throws: the errors of the decoder; an encoder of another package refuses a foreign object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .bytes(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .map(let map):
            var entries = encoder.container(keyedBy: TextKey.self)
            for (key, value) in map { try entries.encode(value, forKey: TextKey(key)) }
        case .foreign:
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "a host's object"))
        }
    }

    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self = decoder.value
        } else if let entries = try? decoder.container(keyedBy: TextKey.self) {
            self = .map(
                ValueMap(try entries.allKeys.map { ($0.stringValue, try entries.decode(Value.self, forKey: $0)) }))
        } else if var items = try? decoder.unkeyedContainer() {
            var list: [Value] = []
            while !items.isAtEnd { list.append(try items.decode(Value.self)) }
            self = .list(list)
        } else {
            self = try Value(scalar: try decoder.singleValueContainer())
        }
    }

    private init(scalar container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }
}
