import Crosstie

extension Value {
    /// Decodes an object from this value: see ``init(encoding:)``. Keys that the type does not name are ignored.
    ///
    /// ```swift
    /// struct Count: Codable { var inStock: Int }
    /// let count = try response.value.decoded(as: Count.self)
    /// ```
    ///
    /// - Throws: *wrongType* (a value is of another kind or out of range), *invalidParameter* (a value is missing, or
    ///   the type itself refuses it), *limitExceeded* (lists and maps nested over 128 deep). The message begins with
    ///   the location: `items[3].price: expected an integer, found text`.
    public func decoded<Content: Decodable>(as type: Content.Type = Content.self) throws(CrosstieError) -> Content {
        try decoded(as: type, readsText: false)
    }

    /// - Parameter readsText: whether numbers and booleans may be texts, as in URLs.
    func decoded<Content: Decodable>(
        as type: Content.Type, readsText: Bool
    ) throws(CrosstieError) -> Content {
        do {
            return try ValueDecoder(value: self, location: CodingLocation(), readsText: readsText).decode(type)
        } catch {
            throw CrosstieError.coding(error)
        }
    }
}

/// A decoder at one location of a value.
struct ValueDecoder: Decoder {
    let value: Value
    let location: CodingLocation
    /// Whether numbers and booleans may be texts, as in URLs.
    var readsText = false

    var codingPath: [any CodingKey] { location.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .map(let map) = value else { throw mismatch(ValueMap.self, "a map") }
        return KeyedDecodingContainer(KeyedDecoding<Key>(map: map, location: location, readsText: readsText))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch value {
        case .list(let items): return UnkeyedDecoding(items: items, location: location, readsText: readsText)
        case .bytes(let bytes):
            return UnkeyedDecoding(items: bytes.map { .int(Int64($0)) }, location: location, readsText: readsText)
        default: throw mismatch([Value].self, "a list")
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: any Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: location.path, debugDescription: "expected \(expected), found \(value.kindName)"))
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        if let flag = value.boolValue { return flag }
        if readsText, let flag = value.stringValue.flatMap(Bool.init) { return flag }
        throw mismatch(type, "a boolean")
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.stringValue else { throw mismatch(type, "text") }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        if let number = value.doubleValue { return number }
        if readsText, let number = value.stringValue.flatMap(Double.init) { return number }
        throw mismatch(type, "a number")
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
        if let value = value as? Content { return value }
        if type == [UInt8].self, case .bytes(let bytes) = value, let bytes = bytes as? Content { return bytes }
        guard !location.isTooDeep else {
            throw CrosstieError.coding(
                .limitExceeded, "is over \(CodingLocation.maximumDepth) levels deep", location.path)
        }
        return try type.init(from: self)
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        var number = value.intValue
        if readsText, number == nil { number = value.stringValue.flatMap { Int64($0) } }
        guard let number else { throw mismatch(type, "an integer") }
        guard let fitting = Number(exactly: number) else {
            throw DecodingError.typeMismatch(
                type,
                DecodingError.Context(
                    codingPath: location.path,
                    debugDescription: "expected an integer from \(Number.min) to \(Number.max), found \(number)"))
        }
        return fitting
    }
}
