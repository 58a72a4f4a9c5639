/// The kind of request that performs a target, which need not be registered.
package enum PerformKind: KindOfRequest {
    @inline(__always)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution { PerformResolver.resolve(block) }

    static func nameRoles(_ kind: RequestKind) -> (target: String, action: String) { ("target", "selector") }

    static var maximumTargetSize: Int { Callee.maximumTargetSize }

    @inline(__always)
    static func check(_ callee: Callee, _ kind: RequestKind) -> Status {
        guard callee.target.count <= Callee.maximumTargetSize, callee.action.count <= Name.maximumSize else {
            return .limitExceeded
        }
        let status = PerformTarget.status(of: callee.target, callee.action)
        return status == .ok ? callee.checkParams() : status
    }

    static func message(of block: RequestBlock.Pointer, failedWith status: Status) -> String? {
        block.performReason(status)
    }

    /// Has the resolver of a target release the instance that it keeps.
    ///
    /// - Returns: the resolver's answer.
    /// - Throws: its refusal; *limitExceeded*, *invalidIdentifier* or *invalidUTF8* for the target.
    package static func release(
        _ handle: Handle, _ target: UnsafeRawBufferPointer
    ) throws(CrosstieError) -> Status {
        var spec = RequestSpec(isLocal: true)
        spec.flags = RequestFlags.release
        let outcome = NamedRequest.call(.perform, handle.pointer, target, .empty, nil, spec, keeping: true)
        guard let block = outcome.block else {
            throw Callee(target, .empty, .null).problem(outcome.status, of: .perform)
        }
        defer { block.drop() }
        guard outcome.status.isSuccess else { throw outcome.error }
        return outcome.status
    }
}
