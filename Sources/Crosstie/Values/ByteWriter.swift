/// Bytes that grow at the end and become a string or bytes value without another copy.
struct ByteWriter: ~Copyable {
    /// Begins with room for the head of a cell.
    private var start: UnsafeMutableRawPointer?
    private(set) var count = 0
    private var capacity = 0

    init() {}

    deinit { Memory.free(start) }

    mutating func append(_ byte: UInt8) throws(CrosstieError) {
        let end = try room(for: 1)
        end.storeBytes(of: byte, as: UInt8.self)
        count &+= 1
    }

    mutating func append(_ text: StaticString) throws(CrosstieError) {
        try append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard let source = bytes.baseAddress else { return }
        try room(for: bytes.count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    mutating func append(_ text: String) throws(CrosstieError) {
        for byte in text.utf8 { try append(byte) }
    }

    /// The end, with at least `size` bytes after it and one more for a NUL.
    private mutating func room(for size: Int) throws(CrosstieError) -> UnsafeMutableRawPointer {
        let needed = Cell.contentOffset &+ count &+ size &+ 1
        if needed > capacity { try grow(to: needed, adding: size) }
        return start.unsafelyUnwrapped + Cell.contentOffset + count
    }

    private mutating func grow(to needed: Int, adding size: Int) throws(CrosstieError) {
        guard size <= ValueRef.maxSize &- count else {
            throw CrosstieError(.limitExceeded, "the text is over \(ValueRef.maxSize) bytes")
        }
        let wanted = max(needed, capacity &* 2, 128)
        guard let memory = Memory.reallocate(start, wanted) else { throw .outOfMemory }
        (start, capacity) = (memory, wanted)
    }

    /// The bytes as a string. They must be UTF-8.
    consuming func finishString() throws(CrosstieError) -> ValueRef {
        let end = try room(for: 0)
        end.storeBytes(of: 0, as: UInt8.self)
        let memory = start.unsafelyUnwrapped
        let fitting = Memory.reallocate(memory, Cell.contentOffset &+ count &+ 1) ?? memory
        start = nil
        return ValueRef.adopt(fitting, as: .string, count: count)
    }
}
