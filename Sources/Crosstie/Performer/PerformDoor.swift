internal import CCrosstie

/// The performer's door: requests that name a target which was never registered.
package enum PerformDoor {
    static var cachedFlag: UInt32 { UInt32(CTIE_REQUEST_CACHED) }
    static var releaseFlag: UInt32 { UInt32(CTIE_REQUEST_RELEASE) }

    /// Asks the resolver of a target to let go of the instance that it keeps.
    ///
    /// - Throws: *limit*, *identifier* (the target).
    package static func release(_ handle: Handle, _ target: UnsafeRawBufferPointer) throws(CrosstieError) -> Status {
        try PerformTarget.check(target)
        var order = RequestOrder(isLocal: true)
        order.flags = releaseFlag
        let names = RequestNames(target: target, action: .empty)
        return CallDoor.call(.perform, handle, names, .null, order, keeping: false).status
    }
}
