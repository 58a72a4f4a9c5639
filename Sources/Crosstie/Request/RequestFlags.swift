internal import CCrosstie

/// The flags that a caller may set on a request: `CTIE_REQUEST_…`.
enum RequestFlags {
    /// The caller wants the performed target's instance to be kept.
    static var cached: UInt32 { UInt32(CTIE_REQUEST_CACHED) }
    /// The request only releases the instance that is kept.
    static var release: UInt32 { UInt32(CTIE_REQUEST_RELEASE) }
    /// The request never goes to a peer.
    static var here: UInt32 { UInt32(CTIE_REQUEST_HERE) }
    /// The URL is for providers alone.
    static var claim: UInt32 { UInt32(CTIE_REQUEST_CLAIM) }
}
