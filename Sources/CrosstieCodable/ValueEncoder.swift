import Crosstie

extension Value {
    /// Encodes an object as a value: structs and dictionaries become maps, arrays lists, `[UInt8]` bytes; a nil
    /// optional is left out of a map and null elsewhere.
    ///
    /// ```swift
    /// struct Query: Codable { var id: Int }
    /// try Value(encoding: Query(id: 42))   // {"id": 42}
    /// ```
    ///
    /// - Throws: *limitExceeded* (an integer beyond 64 bits, lists and maps nested over 128 deep); *wrongType* (an
    ///   error of the type itself). The message begins with the location.
    public init(encoding content: some Encodable) throws(CrosstieError) {
        do {
            let slot = EncodedSlot()
            try slot.encode(content, at: CodingPlace())
            self = slot.value ?? .null
        } catch {
            throw CrosstieError.coding(error)
        }
    }
}

/// The result of an encoder. Containers stay open until the whole value is read.
final class EncodedSlot {
    enum Content {
        case value(Value)
        case list(EncodedList)
        case map(EncodedMap)
    }

    var content: Content?

    /// The encoded value; nil for nothing.
    var value: Value? {
        switch content {
        case nil: nil
        case .value(let value): value
        case .list(let list): .list(list.slots.map { $0.value ?? .null })
        case .map(let map): .map(ValueMap(map.entries.map { ($0.key, $0.slot.value ?? .null) }))
        }
    }

    func encode(_ content: some Encodable, at place: CodingPlace) throws {
        switch content {
        case let value as Value: self.content = .value(value)
        case let bytes as [UInt8]: self.content = .value(.bytes(bytes))
        default:
            guard !place.isTooDeep else {
                throw CrosstieError.coding(
                    .limitExceeded, "is over \(CodingPlace.maximumDepth) levels deep", place.path)
            }
            try content.encode(to: ValueEncoder(slot: self, place: place))
            // A type that has encoded nothing at all, such as one without properties.
            if self.content == nil { self.content = .map(EncodedMap()) }
        }
    }

    /// The list, created if nothing has been encoded yet.
    func list() -> EncodedList {
        if case .list(let list) = content { return list }
        let list = EncodedList()
        content = .list(list)
        return list
    }

    /// The map, created if nothing has been encoded yet.
    func map() -> EncodedMap {
        if case .map(let map) = content { return map }
        let map = EncodedMap()
        content = .map(map)
        return map
    }
}

/// A list that is being encoded.
final class EncodedList {
    var slots: [EncodedSlot] = []

    func append() -> EncodedSlot {
        let slot = EncodedSlot()
        slots.append(slot)
        return slot
    }
}

/// A map that is being encoded.
final class EncodedMap {
    var entries: [(key: String, slot: EncodedSlot)] = []

    func slot(_ key: some CodingKey) -> EncodedSlot {
        let slot = EncodedSlot()
        entries.append((key.stringValue, slot))
        return slot
    }
}

/// An encoder at one location of a value.
struct ValueEncoder: Encoder {
    let slot: EncodedSlot
    let place: CodingPlace

    var codingPath: [any CodingKey] { place.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedEncoding<Key>(map: slot.map(), place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedEncoding(list: slot.list(), place: place) }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { slot.content = .value(.null) }
    func encode(_ value: Bool) { slot.content = .value(.bool(value)) }
    func encode(_ value: String) { slot.content = .value(.string(value)) }
    func encode(_ value: Double) { slot.content = .value(.double(value)) }
    func encode(_ value: Float) { slot.content = .value(.double(Double(value))) }
    func encode(_ value: Int) throws { try encode(integer: value) }
    func encode(_ value: Int8) throws { try encode(integer: value) }
    func encode(_ value: Int16) throws { try encode(integer: value) }
    func encode(_ value: Int32) throws { try encode(integer: value) }
    func encode(_ value: Int64) throws { try encode(integer: value) }
    func encode(_ value: UInt) throws { try encode(integer: value) }
    func encode(_ value: UInt8) throws { try encode(integer: value) }
    func encode(_ value: UInt16) throws { try encode(integer: value) }
    func encode(_ value: UInt32) throws { try encode(integer: value) }
    func encode(_ value: UInt64) throws { try encode(integer: value) }
    func encode(_ value: some Encodable) throws { try slot.encode(value, at: place) }

    private func encode(integer: some BinaryInteger) throws {
        guard let number = Int64(exactly: integer) else {
            throw CrosstieError.coding(.limitExceeded, "\(integer) is beyond 64 bits with a sign", place.path)
        }
        slot.content = .value(.int(number))
    }
}
