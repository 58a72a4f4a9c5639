/// Where things lie in the file `bells`, version 1. Processes map it, and it is all that they share beside
/// the store itself.
enum BellsLayout {
    static var magic: UInt64 { 0x4C4C_4542_4549_5443 }  // "CTIEBELL"
    static var version: UInt32 { 1 }

    // The header.
    static var versionOffset: Int { 8 }
    static var flagsOffset: Int { 12 }
    static var mapSizeOffset: Int { 16 }
    static var bootOffset: Int { 24 }
    static var cleanOffset: Int { 40 }
    static var maximumMapSizeOffset: Int { 48 }
    static var queuedCountOffset: Int { 56 }
    static var queuedSizeOffset: Int { 64 }
    /// Held by whoever writes. From here on nothing outlives the processes.
    static var writerLockOffset: Int { 128 }
    /// Until when somebody who has waited for it is to have it next. In the line that who locks will want anyway.
    static var urgentOffset: Int { 176 }
    /// One is held from before a commit until those who sleep have been woken. Who has the first one wakes them
    /// with the writer's lock given back; who writes meanwhile takes the second, and keeps both until the end.
    static var intentLocksOffset: Int { 192 }
    static var intentLockStride: Int { 64 }
    static var lastSequenceOffset: Int { 320 }
    static var deathCountOffset: Int { 328 }
    /// The number of the last transaction whose end was noted; ``lastSequenceOffset`` belongs to it.
    static var lastTransactionOffset: Int { 336 }
    /// Raised whenever it changes who wants to have what queued.
    static var interestVersionOffset: Int { 344 }
    /// Raised whenever messages of durable names have been given back.
    static var givenBackOffset: Int { 352 }
    /// Raised whenever somebody comes or goes.
    static var presenceVersionOffset: Int { 360 }
    /// When somebody last looked who has died, in nanoseconds of the monotonic clock.
    static var lookTimeOffset: Int { 368 }
    /// Slots in use.
    static var liveMaskOffset: Int { 384 }
    /// Slots with a listener on a prefix.
    static var prefixMaskOffset: Int { 448 }
    /// Slots with a queue listener.
    static var queueMaskOffset: Int { 512 }
    /// Held by whoever changes the size of the store, or maps it.
    static var growthLockOffset: Int { 576 }

    /// Who has the group open.
    static var slotsOffset: Int { 4096 }
    static var slotCount: Int { 256 }
    static var slotStride: Int { 128 }

    /// The byte of the file on which every process that has it open holds a shared lock.
    static var useByteOffset: Int { slotsOffset + slotCount * slotStride }

    /// A word for each slot, a cache line apart.
    static var bellsOffset: Int { slotsOffset + slotCount * slotStride }
    static var bellStride: Int { 64 }

    /// Which slots listen, by hash of identifier or prefix.
    static var bucketsOffset: Int { bellsOffset + slotCount * bellStride }
    static var bucketCount: Int { 1024 }

    /// The last changes: sequence and hash.
    static var ringOffset: Int { bucketsOffset + bucketCount * SlotMask.size }
    static var ringCount: UInt64 { 4096 }
    static var ringStride: Int { 16 }

    static var size: Int { ringOffset + Int(ringCount) * ringStride }
}

/// A set of slots.
struct SlotMask: Equatable {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    static var size: Int { 32 }

    init(words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)) { self.words = words }

    init(_ slot: Int) { insert(slot) }

    @inline(__always)
    mutating func insert(_ slot: Int) {
        let bit = UInt64(1) << UInt64(slot & 63)
        switch slot >> 6 & 3 {
        case 0: words.0 |= bit
        case 1: words.1 |= bit
        case 2: words.2 |= bit
        default: words.3 |= bit
        }
    }

    @inline(__always)
    func contains(_ slot: Int) -> Bool {
        let word =
            switch slot >> 6 & 3 {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        return word >> UInt64(slot & 63) & 1 == 1
    }

    var isEmpty: Bool { words.0 | words.1 | words.2 | words.3 == 0 }

    static func == (left: SlotMask, right: SlotMask) -> Bool { left.words == right.words }

    @inline(__always)
    mutating func remove(_ slot: Int) { formIntersection(SlotMask(slot).inverted) }

    private var inverted: SlotMask { SlotMask(words: (~words.0, ~words.1, ~words.2, ~words.3)) }

    @inline(__always)
    mutating func formIntersection(_ other: SlotMask) {
        words.0 &= other.words.0
        words.1 &= other.words.1
        words.2 &= other.words.2
        words.3 &= other.words.3
    }

    @inline(__always)
    mutating func formUnion(_ other: SlotMask) {
        words.0 |= other.words.0
        words.1 |= other.words.1
        words.2 |= other.words.2
        words.3 |= other.words.3
    }

    @inline(__always)
    func forEach(_ body: (Int) -> Void) {
        SlotMask.forEach(words.0, base: 0, body)
        SlotMask.forEach(words.1, base: 64, body)
        SlotMask.forEach(words.2, base: 128, body)
        SlotMask.forEach(words.3, base: 192, body)
    }

    @inline(__always)
    private static func forEach(_ word: UInt64, base: Int, _ body: (Int) -> Void) {
        var rest = word
        while rest != 0 {
            body(base &+ rest.trailingZeroBitCount)
            rest &= rest &- 1
        }
    }
}
