internal import CCrosstie

/// The kind of request that performs a target, which need not be registered.
package enum PerformKind {
    static var cachedFlag: UInt32 { UInt32(CTIE_REQUEST_CACHED) }
    static var releaseFlag: UInt32 { UInt32(CTIE_REQUEST_RELEASE) }

    /// Asks the resolver of a target to let go of the instance that it keeps.
    ///
    /// - Returns: the resolver's answer; *limitExceeded*, *invalidIdentifier* or *invalidUTF8* for the target.
    package static func release(_ handle: Handle, _ target: UnsafeRawBufferPointer) -> Status {
        var spec = RequestSpec(isLocal: true)
        spec.flags = releaseFlag
        return NamedRequest.call(.perform, handle.pointer, target, .empty, nil, spec, keeping: false).status
    }
}
