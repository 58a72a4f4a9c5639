internal import CPlatform

/// Finds the bytes of a part of a URL that mean something: its delimiters, escapes, and bytes that no normal form
/// holds. It looks at 64 bytes at a step, and reads up to 15 past the text.
struct StopScan {
    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private let delimiters: (UInt8, UInt8, UInt8)
    /// Where the run begins whose stops the mask has.
    private var base: Int
    /// The stops of the run that have not been given.
    private var mask: UInt64 = 0

    @inline(__always)
    init(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, _ delimiters: (UInt8, UInt8, UInt8)) {
        (self.bytes, self.end, self.delimiters, base) = (bytes, end, delimiters, start)
        if start < end { look() }
    }

    /// The next stop, or the end.
    @inline(__always)
    mutating func next() -> Int {
        while mask == 0 {
            base &+= 64
            guard base < end else { return end }
            look()
        }
        defer { mask &= mask &- 1 }
        return base &+ mask.trailingZeroBitCount
    }

    @inline(__always)
    private mutating func look() {
        let size = UInt32(truncatingIfNeeded: min(end &- base, 64))
        mask = cp_scan_stops(bytes + base, size, delimiters.0, delimiters.1, delimiters.2)
    }
}
