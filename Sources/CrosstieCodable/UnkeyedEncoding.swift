import Crosstie

/// The items of a list.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let list: EncodedList
    let location: CodingLocation

    var codingPath: [any CodingKey] { location.path }
    var count: Int { list.slots.count }

    private func encoder() -> ValueEncoder {
        let location = location.appending(count)
        return ValueEncoder(slot: list.append(), location: location)
    }

    func encodeNil() { encoder().encodeNil() }
    func encode(_ value: Bool) { encoder().encode(value) }
    func encode(_ value: String) { encoder().encode(value) }
    func encode(_ value: Double) { encoder().encode(value) }
    func encode(_ value: Float) { encoder().encode(value) }
    func encode(_ value: Int) throws { try encoder().encode(value) }
    func encode(_ value: Int8) throws { try encoder().encode(value) }
    func encode(_ value: Int16) throws { try encoder().encode(value) }
    func encode(_ value: Int32) throws { try encoder().encode(value) }
    func encode(_ value: Int64) throws { try encoder().encode(value) }
    func encode(_ value: UInt) throws { try encoder().encode(value) }
    func encode(_ value: UInt8) throws { try encoder().encode(value) }
    func encode(_ value: UInt16) throws { try encoder().encode(value) }
    func encode(_ value: UInt32) throws { try encoder().encode(value) }
    func encode(_ value: UInt64) throws { try encoder().encode(value) }
    func encode(_ value: some Encodable) throws { try encoder().encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder() }
}
