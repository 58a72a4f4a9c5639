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
            try slot.encode(content, at: CodingLocation())
            self = slot.value ?? .null
        } catch {
            throw CrosstieError.coding(error)
        }
    }
}

/// An encoder at one location of a value.
struct ValueEncoder: Encoder {
    let slot: EncodedSlot
    let location: CodingLocation

    var codingPath: [any CodingKey] { location.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedEncoding<Key>(map: slot.map(), location: location))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedEncoding(list: slot.list(), location: location) }

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
    func encode(_ value: some Encodable) throws { try slot.encode(value, at: location) }

    private func encode(integer: some BinaryInteger) throws {
        guard let number = Int64(exactly: integer) else {
            throw CrosstieError.coding(.limitExceeded, "\(integer) is beyond 64 bits with a sign", location.path)
        }
        slot.content = .value(.int(number))
    }
}
