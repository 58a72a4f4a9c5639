/// A copy of a note of a change below a prefix, and the offsets of its parts.
struct PrefixNote {
    var sequence: UInt64 = 0
    /// Where the note before it in its bucket begins, and of which change that is.
    var before: UInt64 = 0
    var sequenceBefore: UInt64 = 0
    /// Bytes of the identifier.
    var size = 0
    private var words = InlineArray<16, UInt64>(repeating: 0)

    static var sequence: UInt64 { 0 }
    static var before: UInt64 { 8 }
    static var sequenceBefore: UInt64 { 16 }
    static var bucket: UInt64 { 24 }
    static var name: UInt64 { 32 }

    static func size(_ nameSize: Int) -> UInt64 { name &+ (UInt64(nameSize) &+ 7) / 8 &* 8 }

    mutating func setName(_ index: Int, _ word: UInt64) { words[index] = word }

    func withName(_ body: (UInt64, UnsafeRawBufferPointer) -> Void) {
        withUnsafeBytes(of: words) { body(sequence, UnsafeRawBufferPointer(rebasing: $0[..<size])) }
    }
}
