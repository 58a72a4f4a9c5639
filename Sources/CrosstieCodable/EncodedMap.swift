import Crosstie

/// A map that is being encoded.
final class EncodedMap {
    var entries: [(key: String, slot: EncodedSlot)] = []

    func slot(_ key: some CodingKey) -> EncodedSlot {
        let slot = EncodedSlot()
        entries.append((key.stringValue, slot))
        return slot
    }
}
