/// The schemes that need a host, know IPv4 addresses and have a default port.
enum WebScheme {
    /// Of a lower-case scheme.
    @inline(__always)
    static func isWeb(_ scheme: UnsafeRawBufferPointer) -> Bool { defaultPort(scheme) != nil }

    /// Of a lower-case scheme.
    @inline(__always)
    static func defaultPort(_ scheme: UnsafeRawBufferPointer) -> UInt16? {
        guard scheme.count == 4 || scheme.count == 5,
            UInt32(littleEndian: scheme.loadUnaligned(as: UInt32.self)) == 0x7074_7468
        else { return nil }
        if scheme.count == 4 { return 80 }
        return scheme[4] == 0x73 ? 443 : nil
    }
}
