/// A bus's membership in a group of joined buses. It ends with ``leave()``, with the last reference to it, or with the bus.
/// It retains its wormhole.
public final class Join: Sendable {
    private let core: JoinCore
    /// Peers refuse a bus whose process is no member of the group.
    private let wormhole: Wormhole

    fileprivate init(_ core: JoinCore, _ wormhole: Wormhole) { (self.core, self.wormhole) = (core, wormhole) }

    deinit { _ = core.leave() }

    /// The peers: maps with `member`, `name`, `pid`, `uid`, `since`, `exports`, `calls` and `compatible`. Over a server `pid` is 0
    /// and `uid` -1.
    ///
    /// - Throws: *closed*, *forked*.
    public func peers() throws(CrosstieError) -> [Value] { try core.describePeers() }

    /// Replaces the exported names, for calls that arrive from now on.
    ///
    /// - Throws: *invalidIdentifier*, *limitExceeded*, *closed*, *forked*.
    public func setExports(_ names: [String]) throws(CrosstieError) { try core.setExports(names) }

    /// Sets the callback for peers that join, leave, or change their exports; nil removes it. It is called at once for each
    /// peer that is there, as having joined. The closure before it is released when it gets no more calls.
    ///
    /// - Parameter body: gets the peer as ``peers()`` lists it. It runs on a thread of the join, in order; progress of calls
    ///   waits for it.
    /// - Throws: *closed*, *forked*, *systemFailure* (a thread).
    public func onPeer(_ body: (@Sendable (PeerEvent, Value) -> Void)?) throws(CrosstieError) {
        try core.setListener(body.map { body in PeerListener { event, peer in body(event, Value(borrowing: peer)) } })
    }

    /// Leaves the group, after the answers that were given are sent. The other calls of peers end with *peerGone* there and are
    /// cancelled here; calls to peers end with *closed*.
    ///
    /// - Returns: *ok*; *pending* inside a callback, where its threads end by themselves; *forked*.
    @discardableResult
    public func leave() -> Status { core.leave() }
}

extension Bus {
    /// Joins the bus to the group that a wormhole has open in a directory, or by an engine such as that of a server. The peers
    /// that are there are known when this returns.
    ///
    /// - Throws: *invalidArgument* (the kind of wormhole), *unsupported* (an engine that does not join buses), *unavailable*
    ///   (its server), *invalidIdentifier*, *limitExceeded*, *notFound* (the dispatcher), *unsafeFile*, *closed*,
    ///   *invalidHandle*, *systemFailure*.
    public func join(_ wormhole: Wormhole, options: JoinOptions) throws(CrosstieError) -> Join {
        let admit = options.admit
        let decide = admit.map { admit in { (peer: ValueRef) -> Bool in admit(Value(borrowing: peer)) } }
        return Join(try JoinCore.join(handle, wormhole.core, options, JoinCore.Admission(decide)), wormhole)
    }

    /// The same with the names alone.
    public func join(
        _ wormhole: Wormhole, exports: [String] = [], imports: [String] = []
    ) throws(CrosstieError) -> Join {
        var options = JoinOptions()
        (options.exports, options.imports) = (exports, imports)
        return try join(wormhole, options: options)
    }
}

extension Request {
    /// The peer that made the request: a map with its `member`, `name`, `pid` and `uid`; nil for a request of this process.
    public var peer: Value? {
        guard case .live(let block) = RequestBlock.request(handle) else { return nil }
        return block.sender.map { Value(borrowing: $0.description) }
    }

    /// Whether a call will go to a peer, as the names lead now: for interceptors.
    public var isLeaving: Bool {
        guard case .live(let block) = RequestBlock.request(handle) else { return false }
        return block.isLeaving
    }
}
