extension Bus {
    /// Calls a selector of a target and waits for the answer. What came from outside gets here by a rule alone.
    ///
    /// - Parameters:
    ///   - target: `prefix:what`, at most 1,024 bytes; see ``allow(_:)``.
    ///   - selector: a method's name, or whatever the resolver takes for one; at most 128 bytes.
    ///   - params: a map, an object that stands for one, or null.
    ///   - isCached: whether the target's instance is kept, until ``releasePerformer(_:)``.
    ///   - origin: `.remote` lowers the caller's own trust.
    ///   - userInfo, timeoutMilliseconds, parent, interceptors: as for
    ///     ``open(_:origin:userInfo:timeoutMilliseconds:parent:mode:interceptors:)``.
    /// - Returns: the response to a request that succeeded.
    /// - Throws: *handler*; *denied* (not allowed, or of remote origin); *noTarget*, *noAction* (not found, and no
    ///   fallback has it); *param* (params do not fit); *identifier* (a malformed target), *limit*, *type* (params,
    ///   userInfo); *timeout*, *noReply*, *busy*, *depth*, *closed*, *handle*, *noMemory*.
    @discardableResult
    public func perform(
        _ target: String, _ selector: String = "", _ params: Value = .null, isCached: Bool = false,
        origin: Origin = .local, userInfo: Value = .null, timeoutMilliseconds: Int64 = 2500, parent: Request? = nil,
        interceptors: [Handler] = []
    ) throws(CrosstieError) -> Response {
        let (params, info) = try (Bus.map(params, named: "params"), Bus.map(userInfo, named: "userInfo"))
        defer { for value in [params, info] { value.release() } }
        var order = RequestOrder(isLocal: origin == .local)
        (order.userInfo, order.timeoutMilliseconds) = (info, timeoutMilliseconds)
        if isCached { order.flags = PerformDoor.cachedFlag }
        if let parent { try order.setParent(parent.handle) }
        if !interceptors.isEmpty { order.interceptors = InterceptorChain(try Interceptor.all(interceptors)) }
        let outcome = Bus.withNames(target, selector) {
            CallDoor.call(.perform, handle.pointer, $0, $1, params.pointer, order, keeping: true)
        }
        guard let block = outcome.block else { throw outcome.error }
        defer { block.drop() }
        guard outcome.status.isSuccess else { throw outcome.error }
        return Response(block)
    }

    /// Calls a selector of a target on a worker of the bus and returns at once.
    ///
    /// - Parameter completion: runs exactly once if this succeeds, on a worker, with the response.
    /// - Throws: *busy* (the queue is full), *identifier*, *limit*, *type*, *closed*, *handle*, *system*, *noMemory*.
    @discardableResult
    public func performAsync(
        _ target: String, _ selector: String = "", _ params: Value = .null, isCached: Bool = false,
        origin: Origin = .local, userInfo: Value = .null, parent: Request? = nil,
        completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        let (params, info) = try (Bus.map(params, named: "params"), Bus.map(userInfo, named: "userInfo"))
        defer { for value in [params, info] { value.release() } }
        var order = RequestOrder(isLocal: origin == .local)
        order.userInfo = info
        if isCached { order.flags = PerformDoor.cachedFlag }
        if let parent { try order.setParent(parent.handle) }
        let context = completion.map { CallbackContext(holding: CompletionClosure($0)) }
        let outcome = Bus.withNames(target, selector) {
            CallDoor.callAsynchronously(
                .perform, handle.pointer, $0, $1, params.pointer, order, keeping: true,
                completion: completion == nil ? nil : CompletionClosure.call,
                context: context ?? CallbackContext(pointer: nil, destroy: nil))
        }
        guard let block = outcome.block else { throw outcome.error }
        return Call(block.pointee.header.handle(.call))
    }
}

extension Bus {
    /// Runs `body` on the bytes of two names.
    private static func withNames(
        _ target: String, _ action: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Outcome
    ) -> Outcome {
        let (target, action) = (Array(target.utf8), Array(action.utf8))
        return target.withUnsafeBytes { target in action.withUnsafeBytes { body(target, $0) } }
    }
}
