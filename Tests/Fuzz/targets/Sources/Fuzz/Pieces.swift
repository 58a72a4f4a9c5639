/// Inputs made of pieces, separated by the bytes FE FF, so that a piece can grow and shrink without a number for its
/// size.
enum Pieces {
    static func of(_ input: UnsafeRawBufferPointer, limit: Int) -> [UnsafeRawBufferPointer] {
        var pieces: [UnsafeRawBufferPointer] = []
        var start = 0
        var index = 0
        while index + 1 < input.count, pieces.count < limit {
            if input[index] == 0xFE, input[index + 1] == 0xFF {
                pieces.append(UnsafeRawBufferPointer(rebasing: input[start..<index]))
                index += 2
                start = index
            } else {
                index += 1
            }
        }
        if pieces.count < limit { pieces.append(UnsafeRawBufferPointer(rebasing: input[start...])) }
        return pieces
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes after this many.
    func after(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: dropFirst(count)) }

    /// The number that the first `count` bytes are, the lowest first; those that are missing are zeros.
    func number(_ count: Int = 8) -> UInt64 {
        prefix(count).enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
    }
}
