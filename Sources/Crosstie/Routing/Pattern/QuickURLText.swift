/// A URL while it is put together in a piece of memory, escaped as ``URLText`` does. It never writes beyond the memory.
struct QuickURLText {
    private let room: UnsafeMutableRawBufferPointer
    private var count = 0
    /// Whether everything had room.
    private(set) var fits = true

    init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[..<count]) }

    mutating func append(_ byte: UInt8) {
        guard count < room.count else {
            fits = false
            return
        }
        room[count] = byte
        count &+= 1
    }

    mutating func append(_ text: UnsafeRawBufferPointer) {
        for byte in text { append(byte) }
    }

    mutating func append(_ text: UnsafeRawBufferPointer, plain: (UInt8) -> Bool) {
        for byte in text {
            if plain(byte) {
                append(byte)
            } else {
                append(0x25)
                append(ASCII.hexDigit(byte >> 4))
                append(ASCII.hexDigit(byte & 15))
            }
        }
    }
}
