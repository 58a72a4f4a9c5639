/// Writes plain values as MessagePack into memory of a fixed size. Each function answers false when there
/// is too little of it.
struct MessagePackWriter: ~Copyable {
    private let start: UnsafeMutableRawPointer
    private let count: Int
    private(set) var offset = 0
    /// The descriptors that the message names.
    private(set) var descriptors: [Descriptor]
    /// The values whose content is left beside the message: bytes of that size at least.
    private(set) var outside: [OutsideValue] = []
    private let leastOutside: Int

    init(
        start: UnsafeMutableRawPointer, count: Int, _ descriptors: [Descriptor] = [], leastOutside: Int = .max
    ) {
        (self.start, self.count, self.descriptors) = (start, count, descriptors)
        self.leastOutside = leastOutside
    }

    mutating func write(_ value: ValueRef) -> Bool {
        switch value.kind {
        case .null: put(Lead.null)
        case .foreign: write(descriptor: value.descriptor)
        case .bool: put(value.boolValue == true ? Lead.yes : Lead.no)
        case .int: write(int: value.intValue ?? 0)
        case .double: put(Lead.float64, (value.doubleValue ?? 0).bitPattern)
        case .string: write(text: value.contentBytes)
        case .bytes: value.cellCount < leastOutside ? write(bytes: value.contentBytes) : write(outside: value)
        case .list: write(list: value)
        case .map: write(map: value)
        }
    }

    /// An extension of one byte: the index.
    private mutating func write(descriptor: Descriptor?) -> Bool {
        guard let descriptor, let index = UInt8(exactly: descriptors.count) else { return false }
        descriptors.append(descriptor)
        return put(Lead.extension1) && put(Lead.descriptor) && put(index)
    }

    /// Positive numbers as unsigned, so that each takes the fewest bytes.
    private mutating func write(int: Int64) -> Bool {
        if int >= -32 && int < 128 { return put(UInt8(truncatingIfNeeded: int)) }
        if int >= 0 {
            if let small = UInt8(exactly: int) { return put(Lead.uint8, small) }
            if let small = UInt16(exactly: int) { return put(Lead.uint8 &+ 1, small) }
            if let small = UInt32(exactly: int) { return put(Lead.uint8 &+ 2, small) }
            return put(Lead.uint8 &+ 3, UInt64(bitPattern: int))
        }
        if let small = Int8(exactly: int) { return put(Lead.int8, small) }
        if let small = Int16(exactly: int) { return put(Lead.int8 &+ 1, small) }
        if let small = Int32(exactly: int) { return put(Lead.int8 &+ 2, small) }
        return put(Lead.int8 &+ 3, int)
    }

    private mutating func write(text: UnsafeRawBufferPointer) -> Bool {
        let head =
            text.count < 32
            ? put(Lead.fixString | UInt8(truncatingIfNeeded: text.count)) : write(count: text.count, Lead.string8)
        return head && put(text)
    }

    private mutating func write(bytes: UnsafeRawBufferPointer) -> Bool {
        write(count: bytes.count, Lead.bytes8) && put(bytes)
    }

    private mutating func write(outside value: ValueRef) -> Bool {
        outside.append(OutsideValue(value, at: offset))
        return put(Lead.outside, UInt32(truncatingIfNeeded: value.cellCount))
    }

    /// A count in 8, 16 or 32 bits.
    private mutating func write(count: Int, _ lead: UInt8) -> Bool {
        if let small = UInt8(exactly: count) { return put(lead, small) }
        return write(wideCount: count, lead &+ 1)
    }

    /// A count in 16 or 32 bits.
    private mutating func write(wideCount count: Int, _ lead: UInt8) -> Bool {
        if let small = UInt16(exactly: count) { return put(lead, small) }
        return put(lead &+ 1, UInt32(truncatingIfNeeded: count))
    }

    private mutating func write(list: ValueRef) -> Bool {
        guard writeHead(list.cellCount, Lead.fixList, Lead.list16) else { return false }
        for item in list.items where !write(item) { return false }
        return true
    }

    private mutating func write(map: ValueRef) -> Bool {
        guard writeHead(map.cellCount, Lead.fixMap, Lead.map16) else { return false }
        for entry in map.entries where !(write(text: map.key(of: entry)) && write(entry.value)) { return false }
        return true
    }

    private mutating func writeHead(_ count: Int, _ fix: UInt8, _ wide: UInt8) -> Bool {
        count < 16 ? put(fix | UInt8(truncatingIfNeeded: count)) : write(wideCount: count, wide)
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) -> Bool {
        guard offset < count else { return false }
        start.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        offset &+= 1
        return true
    }

    @inline(__always)
    private mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(_ lead: UInt8, _ number: Number) -> Bool {
        let size = MemoryLayout<Number>.size
        guard count &- offset > size else { return false }
        start.storeBytes(of: lead, toByteOffset: offset, as: UInt8.self)
        start.storeBytes(of: number.bigEndian, toByteOffset: offset &+ 1, as: Number.self)
        offset &+= 1 &+ size
        return true
    }

    @inline(__always)
    private mutating func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= count &- offset else { return false }
        if let source = bytes.baseAddress { (start + offset).copyMemory(from: source, byteCount: bytes.count) }
        offset &+= bytes.count
        return true
    }
}
