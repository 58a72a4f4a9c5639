import CCrosstie

@_cdecl("ctie_version") @implementation
public func ctie_version() -> UInt32 {
    UInt32(CTIE_VERSION_MAJOR << 16 | CTIE_VERSION_MINOR << 8 | CTIE_VERSION_PATCH)
}
