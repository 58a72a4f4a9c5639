extension Wormhole {
    /// Binds a listener to an identifier, or to every identifier below a prefix (`chat.*`, or `*` for all).
    ///
    /// First it is called once with the stored message, or one of kind `none`; bound to a prefix, once for each stored
    /// message, in the order of identifiers. Then it gets every message newer than the binding, in the order of
    /// sequence numbers. Calls of one listener never overlap; they come on the wormhole's own thread, where one that
    /// blocks keeps others waiting, or where `executor` says. A listener may do anything, remove itself and close the
    /// wormhole included.
    ///
    /// - Parameters:
    ///   - name: binding a name again on the same identifier replaces the listener; nil for none.
    ///   - initialDelivery: false to get only messages newer than the binding.
    ///   - executor: the executor that calls it.
    /// - Returns: the listener, which is removed with its last reference.
    /// - Throws: `invalidIdentifier`, `limitExceeded`, `notFound` (the dispatcher), `invalidHandle` (the bus),
    ///   `outOfMemory`, `busy`, `systemFailure`, `closed`, `forked`.
    public func listen(
        _ identifier: String, name: String? = nil, initialDelivery: Bool = true, on executor: Executor = .wormhole,
        _ body: @escaping @Sendable (Message) -> Void
    ) throws(CrosstieError) -> Listener {
        var options = ListenOptions()
        options.name = Array((name ?? "").utf8)
        options.initialDelivery = initialDelivery
        options.executor = try executor.resolved()
        return try bind(identifier, options, body)
    }

    /// Binds a listener.
    ///
    /// - Parameter end: runs exactly once if this succeeds, when no more calls come.
    package func bind(
        _ identifier: String, _ options: ListenOptions, _ call: @escaping (Message) -> Void,
        end: @escaping () -> Void = {}
    ) throws(CrosstieError) -> Listener {
        let binding = try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try core.makeBinding(bytes, options, call: call, end: end)
        }
        _ = try core.bind(binding)
        return Listener(binding, of: self)
    }

    /// Binds a listener to the members of the group: first it gets one message for each member, this wormhole too; then
    /// one for each that joins (a message of kind `joined`) and for each that leaves or dies (`left`), within two
    /// seconds.
    ///
    /// - Parameters: as for ``listen(_:name:initialDelivery:on:_:)``; `initialDelivery` is false to get changes only.
    /// - Throws: as that.
    public func listenMembers(
        name: String? = nil, initialDelivery: Bool = true, on executor: Executor = .wormhole,
        _ body: @escaping @Sendable (Message) -> Void
    ) throws(CrosstieError) -> Listener {
        try listen(name, initialDelivery, executor) { options throws(CrosstieError) in
            try core.makeMemberBinding(options, call: body, end: {})
        }
    }

    /// Binds a listener that has no identifier.
    func listen(
        _ name: String?, _ initialDelivery: Bool, _ executor: Executor,
        _ make: (ListenOptions) throws(CrosstieError) -> Binding
    ) throws(CrosstieError) -> Listener {
        var options = ListenOptions()
        options.name = Array((name ?? "").utf8)
        options.initialDelivery = initialDelivery
        options.executor = try executor.resolved()
        let binding = try make(options)
        _ = try core.bind(binding)
        return Listener(binding, of: self)
    }

    /// The listeners of this wormhole, in the order in which they were bound.
    ///
    /// - Throws: `closed`, `forked`.
    public func listeners() throws(CrosstieError) -> [Bound] { try core.listeners() }

    /// Removes the listener of a name. Inside any callback it never waits for a running call.
    ///
    /// - Parameter identifier: as it was bound; nil for ``listenMembers(name:initialDelivery:on:_:)`` and
    ///   ``listenConnection(name:initialDelivery:on:_:)``.
    /// - Returns: `ok` (it is not running and never will); `pending`.
    /// - Throws: `notFound`, `closed`, `forked`.
    @discardableResult
    public func removeListener(_ identifier: String?, name: String) throws(CrosstieError) -> Status {
        try Array((identifier ?? "").utf8).withBytes { bytes throws(CrosstieError) in
            try core.removeListener(bytes, name: Array(name.utf8))
        }
    }

    /// Removes the listeners of an identifier or prefix, all at once, as ``removeListener(_:name:)`` does.
    ///
    /// - Parameter identifier: as they were bound; nil for ``listenMembers(name:initialDelivery:on:_:)`` and
    ///   ``listenConnection(name:initialDelivery:on:_:)``.
    /// - Throws: `notFound` (there was none), `closed`, `forked`.
    @discardableResult
    public func removeListeners(_ identifier: String?) throws(CrosstieError) -> Status {
        try Array((identifier ?? "").utf8).withBytes { bytes throws(CrosstieError) in try core.removeListeners(bytes) }
    }

    /// Removes all listeners of this wormhole, as ``removeListener(_:name:)`` does.
    @discardableResult
    public func removeListeners() -> Status { core.removeAllListeners() }
}
