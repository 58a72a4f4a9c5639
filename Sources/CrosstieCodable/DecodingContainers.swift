import Crosstie

/// The entries of a map.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let map: ValueMap
    let place: CodingPlace
    let readsText: Bool

    var codingPath: [any CodingKey] { place.path }
    var allKeys: [Key] { map.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { map[key.stringValue] != nil }

    private func decoder(_ key: some CodingKey) throws -> ValueDecoder {
        guard let value = map[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: place.path, debugDescription: "is missing"))
        }
        return ValueDecoder(value: value, place: place.appending(key), readsText: readsText)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).decode(type) }

    func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
        try decoder(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(TextKey.parent) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

/// The items of a list.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let items: [Value]
    let place: CodingPlace
    let readsText: Bool
    private(set) var currentIndex = 0

    init(items: [Value], place: CodingPlace, readsText: Bool) {
        (self.items, self.place, self.readsText) = (items, place, readsText)
    }

    var codingPath: [any CodingKey] { place.path }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    /// Reads the next item; after a failure the item is still the next one.
    private mutating func next<Content>(_ read: (ValueDecoder) throws -> Content) throws -> Content {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Content.self,
                DecodingError.Context(
                    codingPath: place.appending(currentIndex).path, debugDescription: "the list has no more items"))
        }
        let decoder = ValueDecoder(
            value: items[currentIndex], place: place.appending(currentIndex), readsText: readsText)
        let content = try read(decoder)
        currentIndex += 1
        return content
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, items[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.decode(type) } }

    mutating func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
        try next { try $0.decode(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
