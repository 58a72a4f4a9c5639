/// A set of slots.
struct MemberMask: Equatable {
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

    static func == (left: MemberMask, right: MemberMask) -> Bool { left.words == right.words }

    @inline(__always)
    mutating func remove(_ slot: Int) { formIntersection(MemberMask(slot).inverted) }

    private var inverted: MemberMask { MemberMask(words: (~words.0, ~words.1, ~words.2, ~words.3)) }

    @inline(__always)
    mutating func formIntersection(_ other: MemberMask) {
        words.0 &= other.words.0
        words.1 &= other.words.1
        words.2 &= other.words.2
        words.3 &= other.words.3
    }

    @inline(__always)
    mutating func formUnion(_ other: MemberMask) {
        words.0 |= other.words.0
        words.1 |= other.words.1
        words.2 |= other.words.2
        words.3 |= other.words.3
    }

    @inline(__always)
    func forEach(_ body: (Int) -> Void) {
        MemberMask.forEach(words.0, base: 0, body)
        MemberMask.forEach(words.1, base: 64, body)
        MemberMask.forEach(words.2, base: 128, body)
        MemberMask.forEach(words.3, base: 192, body)
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
