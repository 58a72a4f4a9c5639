import Crosstie

/// The entries of a map. Every kind of value goes through the generic method, which knows its location.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let map: EncodedMap
    let location: CodingLocation

    var codingPath: [any CodingKey] { location.path }

    private func encoder(_ key: some CodingKey) -> ValueEncoder {
        ValueEncoder(slot: map.slot(key), location: location.appending(key))
    }

    func encodeNil(forKey key: Key) { encoder(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Double, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Float, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Int, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: Int8, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: Int16, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: Int32, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: UInt, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: UInt8, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: UInt16, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: UInt32, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: UInt64, forKey key: Key) throws { try encoder(key).encode(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try encoder(key).encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder(TextKey.parent) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}
