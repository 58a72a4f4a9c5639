import Crosstie

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

    func encode(_ content: some Encodable, at location: CodingLocation) throws {
        switch content {
        case let value as Value: self.content = .value(value)
        case let bytes as [UInt8]: self.content = .value(.bytes(bytes))
        default:
            guard !location.isTooDeep else {
                throw CrosstieError.coding(
                    .limitExceeded, "is over \(CodingLocation.maximumDepth) levels deep", location.path)
            }
            try content.encode(to: ValueEncoder(slot: self, location: location))
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
