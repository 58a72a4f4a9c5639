/// The options of a request as the core passes them on. It is plain memory, which a call copies at no cost; the code
/// that makes the request takes the interceptors and the delivery.
package struct RequestSpec {
    /// Whether the caller asks as the host itself; what it gets may be less.
    package var isLocal: Bool
    /// A map, a foreign value or null; borrowed.
    package var userInfo: ValueRef = .null
    /// 0 for the default, negative for no deadline.
    package var timeoutMilliseconds: Int64 = 0
    package var parent: RequestBlock.Pointer?
    package var runtime: RuntimeLock?
    package var mode = MatchMode.default
    /// Flags for the handler: `CTIE_REQUEST_…`.
    package var flags: UInt32 = 0
    /// The request's own, which it takes.
    package var interceptors: InterceptorChain?
    /// Nil for the defaults. Taken.
    package var delivery: Held<RequestDelivery>?

    package init(isLocal: Bool) { self.isLocal = isLocal }

    /// Whether it never goes to a peer.
    package var staysHere: Bool {
        get { flags & RequestFlags.here != 0 }
        set { flags = newValue ? flags | RequestFlags.here : flags & ~RequestFlags.here }
    }

    /// The same with another deadline than the usual one, if it names none.
    @inline(__always)
    package func withDefault(timeout milliseconds: Int64) -> RequestSpec {
        var spec = self
        if timeoutMilliseconds == 0 { spec.timeoutMilliseconds = milliseconds }
        return spec
    }

    package static var synchronousTimeoutMilliseconds: Int64 { TimeLimit.usualMilliseconds }
    package static var asynchronousTimeoutMilliseconds: Int64 { 60_000 }
    /// The timeout of requests that a person answers.
    package static var personTimeoutMilliseconds: Int64 { 600_000 }

    /// Names the request that this one is made for.
    ///
    /// - Throws: *invalidHandle* or *forked* for one that is not alive.
    package mutating func setParent(_ handle: Handle) throws(CrosstieError) {
        let parent = RequestBlock.request(handle)
        guard case .live(let block) = parent else {
            throw CrosstieError(parent.status, "invalid or released request handle", at: "options.parent")
        }
        self.parent = block
    }

    /// The outcome where no request was made.
    func refused(_ status: Status) -> Outcome {
        destroy()
        return Outcome(status)
    }

    /// Destroys its interceptors and delivery: no request is made.
    package func destroy() {
        interceptors?.destroy()
        _ = delivery?.take()
    }
}

extension RequestSpec? {
    @inline(never)
    func refused(_ status: Status) -> Outcome { self?.refused(status) ?? Outcome(status) }

    /// The outcome of a request for which its thread has no room. It holds the request if `keeping` asks for it.
    @inline(never)
    func refused(
        _ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>, keeping: Bool
    ) -> Outcome {
        self?.destroy()
        guard keeping else {
            block.drop()
            return Outcome(.nestedTooDeeply)
        }
        if slot.isAtMaximumDepth { block.pointee.verdict = .nested }
        block.end(.nestedTooDeeply)
        return Outcome(.nestedTooDeeply, block)
    }
}
