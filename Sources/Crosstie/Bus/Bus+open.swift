/// Where a request comes from.
public enum Origin: Int32, Sendable {
    /// A browser, a push message, another application: public routes only.
    case remote = 0
    /// The host's own code.
    case local = 1
}

/// Who would open a URL.
public enum Opener: Int32, Sendable {
    /// Nobody; it is malformed, denied, or unknown.
    case none = 0
    /// A route or a rule of the bus, or its handler of the unmatched.
    case route = 1
    /// The system's opener.
    case system = 3
}

extension RequestOrder {
    /// Notes who follows the request: its loop, and who hears its progress.
    mutating func follow(loop: Loop?, _ progress: (@Sendable (Value) -> Void)?) {
        guard loop != nil || progress != nil else { return }
        let held = delivery ?? Held(RequestDelivery())
        let delivery = held.object
        delivery.loop = loop?.queue
        delivery.listener = progress.map(ProgressClosure.listener)
        self.delivery = held
    }
}

extension Bus {
    /// Opens a URL: finds the most specific route or rule and runs its handler on this thread. What none takes goes to
    /// the handler of the unmatched, or to the system's opener.
    ///
    /// - Parameters:
    ///   - origin: `.remote` for anything that came from outside. Inside a handler of a remote request
    ///     everything is remote.
    ///   - userInfo: a map handed to the handler beside the URL, or null.
    ///   - timeoutMilliseconds: how long to wait for a handler that answers later; negative for no
    ///     deadline.
    ///   - parent: the request that this one is made for, which it is never more trusted than; by default the one
    ///     that this thread is handling. Only code that runs elsewhere, with a request it has retained, needs to say so.
    ///   - mode: whether an ancestor may take what no route matches.
    ///   - interceptors: of this request alone, before the bus's; at most 64.
    ///   - progress: hears how far the request has come, on the thread that tells it; never after this has returned.
    /// - Returns: the response to a request that succeeded.
    /// - Throws: *handler* (the handler failed; see ``CrosstieError/response``), *url*, *path*, *utf8*, *limit*,
    ///   *denied*, *param* (of a rule), *noRoute*, *noTarget* (a rule that nobody handles), *blocked*, *system* (the
    ///   opener), *timeout*, *noReply*, *busy* (a worker-only handler), *depth*, *closed*, *type* (userInfo),
    ///   *handle* (also of the parent).
    public func open(
        _ url: String, origin: Origin = .local, userInfo: Value = .null, timeoutMilliseconds: Int64 = 2500,
        parent: Request? = nil, mode: MatchMode = .default, interceptors: [Handler] = [],
        progress: (@Sendable (Value) -> Void)? = nil
    ) throws(CrosstieError) -> Response {
        let info = try Bus.userInfo(userInfo)
        defer { info.release() }
        var order = RequestOrder(isLocal: origin == .local)
        (order.userInfo, order.timeoutMilliseconds, order.mode) = (info, timeoutMilliseconds, mode)
        if let parent { try order.setParent(parent.handle) }
        if !interceptors.isEmpty { order.interceptors = InterceptorChain(try Interceptor.all(interceptors)) }
        order.follow(loop: nil, progress)
        let outcome = try withBytes(of: url) { bytes throws(CrosstieError) in
            OpenDoor.open(handle, bytes, order, keeping: true)
        }
        guard let block = outcome.block else { throw outcome.error }
        defer { block.drop() }
        guard outcome.status.isSuccess else { throw outcome.error }
        return Response(block)
    }

    /// Opens a URL on a worker of the bus and returns at once.
    ///
    /// - Parameters:
    ///   - loop: where completion and progress are called; nil for a worker, and the thread that tells.
    ///   - completion: runs exactly once if this succeeds, with the response.
    ///   - progress: hears how far the request has come, never after the completion.
    /// - Throws: *busy* (the queue is full), *url*, *path*, *utf8*, *limit*, *type*, *closed*, *handle*, *system*.
    @discardableResult
    public func openAsync(
        _ url: String, origin: Origin = .local, userInfo: Value = .null, parent: Request? = nil,
        mode: MatchMode = .default, interceptors: [Handler] = [], loop: Loop? = nil,
        completion: (@Sendable (Response) -> Void)? = nil, progress: (@Sendable (Value) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        let info = try Bus.userInfo(userInfo)
        defer { info.release() }
        var order = RequestOrder(isLocal: origin == .local)
        (order.userInfo, order.mode) = (info, mode)
        if let parent { try order.setParent(parent.handle) }
        if !interceptors.isEmpty { order.interceptors = InterceptorChain(try Interceptor.all(interceptors)) }
        order.follow(loop: loop, progress)
        let context = completion.map { CallbackContext(holding: CompletionClosure($0)) }
        let outcome = try withBytes(of: url) { bytes throws(CrosstieError) in
            OpenDoor.openAsynchronously(
                handle, bytes, order, keeping: true, completion: completion == nil ? nil : CompletionClosure.call,
                context: context ?? CallbackContext(pointer: nil, destroy: nil))
        }
        guard let block = outcome.block else { throw outcome.error }
        return Call(block.pointee.header.handle(.call))
    }

    /// Who would open a URL. No handler and no interceptor runs, a rule's parameters are checked; a malformed or denied
    /// URL has nobody.
    public func canOpen(_ url: String, origin: Origin = .local, mode: MatchMode = .default) -> Opener {
        let answer = try? withBytes(of: url) { bytes throws(CrosstieError) in
            OpenDoor.canOpen(handle, bytes, isLocal: origin == .local, mode: mode)
        }
        return answer?.1 ?? .none
    }

    private static func userInfo(_ value: Value) throws(CrosstieError) -> ValueRef {
        switch value {
        case .null, .map, .foreign: return try value.makeRef()
        default: throw CrosstieError(.type, "userInfo is a map")
        }
    }
}
