/// The kind of request that performs a target, which need not be registered.
package enum PerformKind {
    /// Has the resolver of a target release the instance that it keeps.
    ///
    /// - Returns: the resolver's answer; *limitExceeded*, *invalidIdentifier* or *invalidUTF8* for the target.
    package static func release(_ handle: Handle, _ target: UnsafeRawBufferPointer) -> Status {
        var spec = RequestSpec(isLocal: true)
        spec.flags = RequestFlags.release
        return NamedRequest.call(.perform, handle.pointer, target, .empty, nil, spec, keeping: false).status
    }
}
