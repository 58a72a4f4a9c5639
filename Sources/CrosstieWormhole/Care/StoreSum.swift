/// By which it is seen that nothing is missing from a dump, and nothing was changed by accident.
struct StoreSum {
    private(set) var count: UInt64 = 0
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func take(_ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        count += 1
        for bytes in [key, record] {
            value = (value ^ UInt64(bytes.count)) &* 0x0000_0100_0000_01b3
            for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        }
    }
}
