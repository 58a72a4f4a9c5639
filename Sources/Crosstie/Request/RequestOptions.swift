/// The options of a caller, for every kind of request.
public struct RequestOptions: Sendable {
    /// `.remote` for anything that came from outside. Inside a handler of a remote request everything is remote.
    public var origin = Origin.local
    /// Handed to the handler: a map, or a foreign object with the plain form of one, or null.
    public var userInfo = Value.null
    /// The time that the request may take before it ends with *timedOut*; nil for 2.5 seconds, or 60 of an
    /// asynchronous one; ``Swift/Duration/forever`` for no deadline. It never ends later than the request that it is made
    /// in or for.
    public var timeout: Duration?
    /// The request that this one is made for, which it is never more trusted than; by default the one that this thread
    /// is handling. Only code that runs elsewhere, with a request it has retained, needs to say so.
    public var parent: Request?
    /// For a URL: whether an ancestor may take what no route matches.
    public var mode = MatchMode.default
    /// For a performed target: whether the target's instance is kept, until ``Bus/releasePerformer(_:)``.
    public var isCached = false
    /// Of this request alone, before the bus's; at most 64.
    public var interceptors: [Handler] = []
    /// The dispatcher of an asynchronous request; empty for the component's, else the bus's default.
    public var dispatcher = ""
    public var priority = Priority.normal
    /// Where completion and progress of an asynchronous request are called; nil for a worker, and for the thread
    /// that reports progress.
    public var loop: Loop?
    /// Which calls go to a peer, of buses that are joined to a group.
    public var reach = Reach.any
    /// Receives the request's progress: never after its completion, or after a synchronous caller goes on.
    public var progress: (@Sendable (Value) -> Void)?

    public init(
        origin: Origin = .local, userInfo: Value = .null, timeout: Duration? = nil, parent: Request? = nil,
        mode: MatchMode = .default, isCached: Bool = false, interceptors: [Handler] = [], dispatcher: String = "",
        priority: Priority = .normal, loop: Loop? = nil, progress: (@Sendable (Value) -> Void)? = nil
    ) {
        self.origin = origin
        self.userInfo = userInfo
        self.timeout = timeout
        self.parent = parent
        self.mode = mode
        self.isCached = isCached
        self.interceptors = interceptors
        self.dispatcher = dispatcher
        self.priority = priority
        self.loop = loop
        self.progress = progress
    }
}

extension RequestOptions {
    /// Runs `body` with the specification that these options make, and the parameters for it.
    ///
    /// - Throws: *wrongType* (params or userInfo is no map), *invalidHandle* (the parent), *limitExceeded*, *outOfMemory*.
    func withSpec<Result>(
        _ params: Value = .null, _ body: (RequestSpec, ValueRef) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let params = try RequestOptions.map(params, named: "params")
        defer { params.release() }
        let info = try RequestOptions.map(userInfo, named: "userInfo")
        defer { info.release() }
        var spec = RequestSpec(isLocal: origin == .local)
        (spec.userInfo, spec.timeoutMilliseconds, spec.mode) = (info, timeoutMilliseconds, mode)
        if isCached { spec.flags = RequestFlags.cached }
        if case .here = reach { spec.flags |= RequestFlags.here }
        if let parent { try spec.setParent(parent.handle) }
        let delivery = try delivery()
        spec.interceptors = InterceptorChain(try Interceptor.all(interceptors))
        spec.delivery = delivery.map(Held.init)
        return try body(spec, params)
    }

    /// The timeout as a specification has it: 0 for the default, negative for no deadline. A time that is not ahead passes at once.
    private var timeoutMilliseconds: Int64 {
        guard let milliseconds = timeout?.wholeMilliseconds else { return 0 }
        return milliseconds == .max ? -1 : max(Int64(clamping: milliseconds), 1)
    }

    /// Nil for the defaults.
    private func delivery() throws(CrosstieError) -> RequestDelivery? {
        let peer: String?
        if case .elsewhere(let name) = reach { peer = name } else { peer = nil }
        guard !dispatcher.isEmpty || priority != .normal || loop != nil || progress != nil || peer != nil else {
            return nil
        }
        guard dispatcher.utf8.count <= Name.maximumSize else {
            throw CrosstieError(.limitExceeded, "a dispatcher's name has at most \(Name.maximumSize) bytes")
        }
        let delivery = RequestDelivery()
        (delivery.dispatcher, delivery.priority) = (dispatcher, priority.rawValue)
        (delivery.isElsewhere, delivery.peer) = (peer != nil, peer ?? "")
        (delivery.loop, delivery.listener) = (loop?.queue, progress.map(ProgressClosure.listener))
        return delivery
    }

    private static func map(_ value: Value, named name: String) throws(CrosstieError) -> ValueRef {
        switch value {
        case .null, .map, .foreign: return try value.makeRef()
        default: throw CrosstieError(.wrongType, "\(name) is a map")
        }
    }
}
