/// The data of requests, responses and messages.
///
/// ```swift
/// let user: Value = ["id": 42, "name": "Ada", "tags": ["x", nil, 1.5]]
/// user["name"]?.stringValue   // "Ada"
/// ```
///
/// Passing a value on can fail when it is beyond the limits of the C interface: 128 lists and maps inside each
/// other, 16 Mi entries in one, 128 MiB of text, 64 Mi values in all.
public enum Value: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    case list([Value])
    case map(ValueMap)
    /// A host's own object, which crosses calls untouched and cannot leave the process unless it has a plain form.
    case foreign(ForeignObject)
}

// MARK: - Looking in

extension Value {
    public var isNull: Bool { self == .null }

    /// The boolean; nil for another kind.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The integer; nil for another kind.
    public var intValue: Int64? { if case .int(let value) = self { value } else { nil } }

    /// The double, or an integer that a double holds exactly; nil for another kind.
    public var doubleValue: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(exactly: value)
        default: nil
        }
    }

    /// The text; nil for another kind.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    /// The bytes; nil for another kind.
    public var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }

    /// The items; nil for another kind.
    public var listValue: [Value]? { if case .list(let value) = self { value } else { nil } }

    /// The entries; nil for another kind.
    public var mapValue: ValueMap? { if case .map(let value) = self { value } else { nil } }

    /// The host's object; nil for another kind.
    public var foreignValue: ForeignObject? { if case .foreign(let value) = self { value } else { nil } }

    /// The value under `key`; nil when this is no map or has none.
    public subscript(key: String) -> Value? { mapValue?[key] }

    /// The item at `index`; nil when this is no list or has none there.
    public subscript(index: Int) -> Value? {
        guard let items = listValue, items.indices.contains(index) else { return nil }
        return items[index]
    }
}

// MARK: - Literals

extension Value: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .null }
}

extension Value: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Value: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral {
    public init(arrayLiteral items: Value...) { self = .list(items) }
}

extension Value: ExpressibleByDictionaryLiteral {
    /// For a repeated key, the last value counts.
    public init(dictionaryLiteral entries: (String, Value)...) { self = .map(ValueMap(entries)) }
}
