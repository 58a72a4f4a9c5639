import Crosstie

/// A list that is being encoded.
final class EncodedList {
    var slots: [EncodedSlot] = []

    func append() -> EncodedSlot {
        let slot = EncodedSlot()
        slots.append(slot)
        return slot
    }
}
