/// The contents of a frame's large bytes values. The frame only names them, so that each is copied once: to the receiver.
struct OutsideContents {
    /// With the offsets of the name and of the size of the whole value, both in the frame.
    private var values: [(offset: Int, prefix: Int, value: OutsideValue)] = []
    /// The bytes of all of them.
    private(set) var size = 0

    static var none: OutsideContents { OutsideContents() }

    /// The bytes that a value must have to be left outside. Its name is then as long as its head inside would be.
    static var least: Int { SharedLayout.smallBlockSize }

    mutating func append(_ value: OutsideValue, at offset: Int, prefix: Int) {
        values.append((offset, prefix, value))
        size += value.bytes.count
    }

    /// Writes the contents into memory of that size.
    func copy(to room: UnsafeMutableRawPointer) {
        var offset = 0
        for each in values {
            let bytes = each.value.bytes
            bytes.baseAddress.map { (room + offset).copyMemory(from: $0, byteCount: bytes.count) }
            offset += bytes.count
        }
    }

    /// The frame with the contents inside, as the socket takes it.
    func inside(_ frame: [UInt8]) -> [UInt8] {
        guard !values.isEmpty else { return frame }
        var whole: [UInt8] = []
        whole.reserveCapacity(frame.count + size)
        var done = 0
        for each in values {
            let content = each.offset + MemoryLayout<UInt8>.size + MemoryLayout<UInt32>.size
            whole += frame[done..<each.offset]
            whole.append(MessagePack.insideLead)
            whole += frame[each.offset + 1..<content]
            whole += each.value.bytes
            done = content
        }
        whole += frame[done...]
        correctSizes(&whole)
        return whole
    }

    /// The sizes of the whole values do not count what was outside.
    private func correctSizes(_ whole: inout [UInt8]) {
        var (inserted, insertedBefore, prefix) = (0, 0, -1)
        for each in values {
            if each.prefix != prefix { (prefix, insertedBefore) = (each.prefix, inserted) }
            let position = prefix + insertedBefore
            let size = (0..<4).reduce(UInt32(0)) { $0 | UInt32(whole[position + $1]) << (8 * UInt32($1)) }
            let sum = size &+ UInt32(clamping: each.value.bytes.count)
            for index in 0..<4 { whole[position + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(index))) }
            inserted += each.value.bytes.count
        }
    }
}
