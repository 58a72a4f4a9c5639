/// FNV-1a, which yields the hash of every prefix on the way. It is part of the store's format.
struct IdentifierHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    @inline(__always)
    mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }

    /// Never 0, which stands for *everything*. The bits are mixed, since buckets are chosen by the low ones.
    @inline(__always)
    var value: UInt64 {
        let mixed = (state ^ state >> 32) &* 0x9e37_79b9_7f4a_7c15
        return (mixed ^ mixed >> 29) | 1 << 63
    }

    /// The hash of a byte that no identifier contains: members listen to it for members that join or leave.
    static var members: UInt64 {
        var hash = IdentifierHash()
        hash.add(0)
        return hash.value
    }

    /// The same for listeners to the connection to the group's server.
    static var connection: UInt64 {
        var hash = IdentifierHash()
        hash.add(1)
        return hash.value
    }
}
