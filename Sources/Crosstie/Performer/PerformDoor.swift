internal import CCrosstie

/// The performer's kind: requests that name a target which was never registered.
package enum PerformDoor {
    static var cachedFlag: UInt32 { UInt32(CTIE_REQUEST_CACHED) }
    static var releaseFlag: UInt32 { UInt32(CTIE_REQUEST_RELEASE) }

    /// Asks the resolver of a target to let go of the instance that it keeps.
    ///
    /// - Returns: the resolver's answer; *limitExceeded*, *invalidIdentifier* or *invalidUTF8* for the target.
    package static func release(_ handle: Handle, _ target: UnsafeRawBufferPointer) -> Status {
        var order = RequestOrder(isLocal: true)
        order.flags = releaseFlag
        return CallDoor.call(.perform, handle.pointer, target, .empty, nil, order, keeping: false).status
    }
}
