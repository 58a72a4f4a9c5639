/// What a caller says beside the request itself. It is plain memory, which a call copies for nothing; whoever makes the
/// request takes what it brings.
package struct RequestOrder {
    /// Whether the caller asks as the host itself; what it gets may be less.
    package var isLocal: Bool
    /// A map, a foreign value or null; borrowed.
    package var userInfo: ValueRef = .null
    /// 0 for the default, negative for no deadline.
    package var timeoutMilliseconds: Int64 = 0
    package var parent: RequestBlock.Pointer?
    package var runtime: RuntimeLock?
    package var mode = MatchMode.default
    /// What the handler may ask for: `CTIE_REQUEST_…`.
    package var flags: UInt32 = 0
    /// The request's own, which it takes.
    package var interceptors: InterceptorChain?
    /// Nil for the defaults. Taken.
    package var delivery: Held<RequestDelivery>?

    package init(isLocal: Bool) { self.isLocal = isLocal }

    /// The same with another deadline than the usual one, if it names none.
    @inline(__always)
    package func withDefault(timeout milliseconds: Int64) -> RequestOrder {
        var order = self
        if timeoutMilliseconds == 0 { order.timeoutMilliseconds = milliseconds }
        return order
    }

    package static var synchronousTimeoutMilliseconds: Int64 { 2500 }
    package static var asynchronousTimeoutMilliseconds: Int64 { 60_000 }
    /// Of what a person is to answer.
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

    /// Gives up what it brings: no request is made.
    package func destroy() {
        interceptors?.destroy()
        _ = delivery?.take()
    }
}

extension RequestOrder? {
    @inline(never)
    func refused(_ status: Status) -> Outcome { self?.refused(status) ?? Outcome(status) }
}

/// Where and when an asynchronous request runs, whom an event goes to, and who hears of its progress.
package final class RequestDelivery {
    /// The dispatcher's name; empty for the component's, else the bus's default one.
    package var dispatcher = ""
    /// `CTIE_PRIORITY_…`.
    package var priority: Int32 = 0
    /// Where completion and progress are called; nil for a worker.
    package var loop: LoopQueue?
    /// Who hears the progress.
    package var listener: ProgressListener?
    /// The one registration that an event is for, whatever its names lead to; nil for a request that finds its own.
    let recipient: Handle?
    /// Those that it shares with the other requests of a broadcast.
    let interceptors: SharedInterceptors?

    package init() { (recipient, interceptors) = (nil, nil) }

    /// An event's, beside what its caller has said.
    init(_ given: RequestDelivery?, to recipient: Handle, _ interceptors: SharedInterceptors?) {
        (self.recipient, self.interceptors) = (recipient, interceptors)
        guard let given else { return }
        (dispatcher, priority) = (given.dispatcher, given.priority)
        (loop, listener) = (given.loop, given.listener)
    }
}

/// What a request came to.
package struct Outcome {
    package let status: Status
    /// The request, with one reference for the caller; nil when there never was one, or none is wanted.
    package var block: RequestBlock.Pointer?
    /// What is wrong with a URL.
    package var failure: ParseFailure?

    @inline(__always)
    package init(_ status: Status, _ block: RequestBlock.Pointer? = nil, _ failure: ParseFailure? = nil) {
        self.status = status
        self.block = block
        self.failure = failure
    }

    /// The response to a request that succeeded; the outcome's reference goes.
    func takeResponse() throws(CrosstieError) -> Response {
        guard let block else { throw error }
        defer { block.drop() }
        guard status.isSuccess else { throw error }
        return Response(block)
    }

    /// The call of an asynchronous request.
    func takeCall() throws(CrosstieError) -> Call {
        guard let block else { throw error }
        return Call(block.pointee.header.handle(.call))
    }

    /// The request, where no more is to be said than what its response says when it is asked.
    package var unexplained: RequestBlock.Pointer? {
        guard failure == nil, let block, block.isUnexplained, block.pointee.extras == nil else { return nil }
        return block
    }

    /// What went wrong.
    package var error: CrosstieError {
        if let failure { return failure.error }
        guard let block else { return Callee.problem(status) }
        let response = Response(block)
        if let malformation = block.malformation(status)?.error {
            return CrosstieError(status, malformation.message, at: malformation.place, response: response)
        }
        guard status == .invalidParameter, let problem = RuleCheck.problem(of: block) else { return response.error }
        return CrosstieError(.invalidParameter, problem.message, at: problem.place, response: response)
    }
}
