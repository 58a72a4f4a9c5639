/// Reads a MessagePack message whose bytes nobody vouches for.
struct MessagePackReader: ~Copyable {
    private let message: UnsafeRawBufferPointer
    private var offset = 0
    private var stack = ValueStack()
    /// Values that the lists and maps begun so far still claim. Each needs a byte at least, so a claim beyond
    /// the bytes that are left is false and refused before anything is read for it.
    private var owed = 1

    /// Those that the message may name.
    private let descriptors: [Descriptor]
    /// The bytes beside the message that it has not named yet.
    private(set) var outside: OutsideBytes

    init(_ message: UnsafeRawBufferPointer, _ descriptors: [Descriptor], _ outside: OutsideBytes) {
        (self.message, self.descriptors, self.outside) = (message, descriptors, outside)
    }

    mutating func readMessage() throws(CrosstieError) -> ValueRef {
        let value = try readValue(level: 0)
        guard offset == message.count else {
            value.release()
            throw malformed("there are bytes after the value", at: offset)
        }
        return value
    }

    private mutating func readValue(level: Int) throws(CrosstieError) -> ValueRef {
        let start = offset
        let lead: UInt8 = try readNumber()
        owed &-= 1
        switch lead {
        case 0x00...0x7F, 0xE0...0xFF: return try .int(Int64(Int8(bitPattern: lead)))
        case 0x80...0x8F: return try readMap(count: Int(lead & 15), from: start, level: level)
        case 0x90...0x9F: return try readList(count: Int(lead & 15), from: start, level: level)
        case 0xA0...0xBF: return try readString(count: Int(lead & 31), from: start)
        case Lead.null: return .null
        case Lead.no, Lead.yes: return .bool(lead == Lead.yes)
        default: return try readWide(lead, from: start, level: level)
        }
    }

    /// The types whose number or count follows the first byte.
    private mutating func readWide(_ lead: UInt8, from start: Int, level: Int) throws(CrosstieError) -> ValueRef {
        switch lead {
        case 0xC4...0xC6: return try .bytes(try take(try readCount(width: lead &- 0xC4)))
        case Lead.float32: return try .double(Double(Float(bitPattern: try readNumber())))
        case Lead.float64: return try .double(Double(bitPattern: try readNumber()))
        case 0xCC...0xCF: return try .int(try readUnsigned(width: lead &- 0xCC, from: start))
        case 0xD0...0xD3: return try .int(try readSigned(width: lead &- 0xD0))
        case 0xD9...0xDB: return try readString(count: try readCount(width: lead &- 0xD9), from: start)
        case 0xDC, 0xDD: return try readList(count: try readCount(width: lead &- 0xDB), from: start, level: level)
        case 0xDE, 0xDF: return try readMap(count: try readCount(width: lead &- 0xDD), from: start, level: level)
        case Lead.outside where !outside.isEmpty: return try .bytes(try takeOutside(from: start))
        case Lead.extension1 where !descriptors.isEmpty: return try readDescriptor(from: start)
        default: throw malformed("type \(lead) is not one of the standard ones", at: start)
        }
    }

    /// Bytes beside the message. Another process may change them meanwhile, so nothing but a copy is made of them.
    private mutating func takeOutside(from start: Int) throws(CrosstieError) -> UnsafeRawBufferPointer {
        guard let bytes = outside.take(try readCount(width: 2)) else {
            throw malformed("the bytes beside the message end too early", at: start)
        }
        return bytes
    }

    private mutating func readDescriptor(from start: Int) throws(CrosstieError) -> ValueRef {
        let (type, index): (UInt8, UInt8) = (try readNumber(), try readNumber())
        guard type == Lead.descriptor, Int(index) < descriptors.count else {
            throw malformed("there is no such descriptor", at: start)
        }
        return try .descriptor(descriptors[Int(index)])
    }

    private mutating func readUnsigned(width: UInt8, from start: Int) throws(CrosstieError) -> Int64 {
        guard width == 3 else { return Int64(try readCount(width: width)) }
        let wide: UInt64 = try readNumber()
        guard let number = Int64(exactly: wide) else {
            throw malformed("an integer is over the largest signed one of 64 bits", at: start)
        }
        return number
    }

    private mutating func readSigned(width: UInt8) throws(CrosstieError) -> Int64 {
        switch width {
        case 0: Int64(Int8(bitPattern: try readNumber()))
        case 1: Int64(Int16(bitPattern: try readNumber()))
        case 2: Int64(Int32(bitPattern: try readNumber()))
        default: Int64(bitPattern: try readNumber())
        }
    }

    /// An unsigned number of 8, 16 or 32 bits.
    private mutating func readCount(width: UInt8) throws(CrosstieError) -> Int {
        switch width {
        case 0: Int(try readNumber() as UInt8)
        case 1: Int(try readNumber() as UInt16)
        default: Int(try readNumber() as UInt32)
        }
    }

    private mutating func readString(count: Int, from start: Int) throws(CrosstieError) -> ValueRef {
        try .string(validated: try takeText(count, from: start))
    }

    private mutating func readList(count: Int, from start: Int, level: Int) throws(CrosstieError) -> ValueRef {
        try claim(count, from: start, level: level)
        let base = stack.count
        for _ in 0..<count { try stack.push(try readValue(level: level &+ 1), key: .empty) }
        do throws(CrosstieError) {
            return try stack.popList(from: base)
        } catch {
            throw error.atByte(start)
        }
    }

    private mutating func readMap(count: Int, from start: Int, level: Int) throws(CrosstieError) -> ValueRef {
        try claim(2 &* count, from: start, level: level)
        let base = stack.count
        for _ in 0..<count {
            let key = try readKey()
            try stack.push(try readValue(level: level &+ 1), key: key)
        }
        do throws(CrosstieError) {
            return try stack.popMap(from: base)
        } catch {
            throw error.atByte(start)
        }
    }

    private mutating func readKey() throws(CrosstieError) -> UnsafeRawBufferPointer {
        let start = offset
        let lead: UInt8 = try readNumber()
        owed &-= 1
        switch lead {
        case 0xA0...0xBF: return try takeText(Int(lead & 31), from: start)
        case 0xD9...0xDB: return try takeText(try readCount(width: lead &- 0xD9), from: start)
        default: throw malformed("a key is not a string", at: start)
        }
    }

    /// Notes the values that a list or map at `level` says it has.
    private mutating func claim(_ count: Int, from start: Int, level: Int) throws(CrosstieError) {
        guard level < ValueRef.maxDepth else { throw CrosstieError.tooDeep.atByte(start) }
        owed &+= count
        guard owed <= message.count &- offset else { throw malformed("the message ends too early", at: start) }
    }

    private mutating func takeText(_ count: Int, from start: Int) throws(CrosstieError) -> UnsafeRawBufferPointer {
        let text = try take(count)
        guard isUTF8(text) else { throw CrosstieError(.invalidUTF8, "text is not valid UTF-8", at: "byte \(start)") }
        return text
    }

    private mutating func take(_ count: Int) throws(CrosstieError) -> UnsafeRawBufferPointer {
        guard count <= message.count &- offset else { throw malformed("the message ends too early", at: offset) }
        defer { offset &+= count }
        return UnsafeRawBufferPointer(rebasing: message[offset..<offset &+ count])
    }

    private mutating func readNumber<Number: FixedWidthInteger & BitwiseCopyable>() throws(CrosstieError) -> Number {
        let size = MemoryLayout<Number>.size
        guard size <= message.count &- offset else { throw malformed("the message ends too early", at: offset) }
        defer { offset &+= size }
        return Number(bigEndian: message.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    private func malformed(_ why: String, at offset: Int) -> CrosstieError {
        CrosstieError(.invalidFormat, "not a valid message: \(why)", at: "byte \(offset)")
    }
}

extension CrosstieError {
    fileprivate func atByte(_ offset: Int) -> CrosstieError { CrosstieError(status, message, at: "byte \(offset)") }
}
