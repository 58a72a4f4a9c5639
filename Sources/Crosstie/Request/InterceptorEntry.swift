/// One of a bus's interceptors.
package struct InterceptorEntry {
    /// Its position, then its age. A request keeps the key of the last one that it has seen, so that it misses none and sees
    /// none twice while others come and go.
    let key: Int64
    package let registration: UInt32
    let scope: InterceptorScope

    init(position: Int32, age: UInt32, registration: UInt32, scope: InterceptorScope = InterceptorScope()) {
        key = Int64(position) << 32 | Int64(age)
        self.registration = registration
        self.scope = scope
    }
}

/// The scope of a bus's interceptor: the requests that it sees.
package struct InterceptorScope {
    /// Those that came by one of these: see ``RequestKind/bit``.
    let kinds: UInt8
    /// Those that run on this dispatcher; nil for those of all.
    var dispatcher: UInt8?

    /// - Parameter kinds: the bits of kinds; 0 for all.
    /// - Throws: *invalidArgument* for an unknown kind.
    package init(kinds: UInt32) throws(CrosstieError) {
        guard kinds & ~UInt32(Self.allKinds) == 0 else {
            throw CrosstieError(
                .invalidArgument, "there are no such kinds: 0x" + String(kinds & ~UInt32(Self.allKinds), radix: 16),
                at: "options.kinds")
        }
        self.kinds = kinds == 0 ? Self.allKinds : UInt8(truncatingIfNeeded: kinds)
    }

    package init() { kinds = Self.allKinds }

    private static var allKinds: UInt8 { 0xFF }

    @inline(__always)
    func includes(_ block: RequestBlock.Pointer) -> Bool {
        UInt(kinds) & block.pointee.kind.bit != 0
            && (dispatcher ?? block.pointee.dispatcher) == block.pointee.dispatcher
    }
}
