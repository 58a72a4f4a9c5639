extension WormholeCore {
    /// The listeners that are bound, in the order in which they were.
    package func listeners() throws(CrosstieError) -> [Wormhole.Bound] {
        try use { () throws(CrosstieError) in table.list() }
    }

    /// Removes the listener of a name.
    ///
    /// - Parameter identifier: empty for listeners to the members of the group, or to the connection.
    /// - Throws: *notFound*, *closed*, *forked*, *deadlock*.
    package func removeListener(
        _ identifier: UnsafeRawBufferPointer, name: [UInt8]
    ) throws(CrosstieError) -> Status {
        try remove(identifier, "listener \(Quotation.quoted(name))") { topic in
            // A listener without a name cannot be removed by it.
            name.isEmpty ? [] : table.remove(topic, name: name).map { [$0] } ?? []
        }
    }

    /// Removes the listeners of an identifier, all at once.
    ///
    /// - Throws: *notFound*, *closed*, *forked*, *deadlock*.
    package func removeListeners(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) -> Status {
        try remove(identifier, "listener", table.removeAll(of:))
    }

    private func remove(
        _ identifier: UnsafeRawBufferPointer, _ what: String, _ detach: (Topic) -> [Binding]
    ) throws(CrosstieError) -> Status {
        // Nothing listens to a malformed identifier.
        let topics = identifier.isEmpty ? [.members, .connection] : (try? Topic(identifier)).map { [$0] } ?? []
        return try use { () throws(CrosstieError) in
            let found = topics.flatMap(detach)
            guard found.isEmpty else { return finish(found) }
            let subject = identifier.isEmpty ? "the members of the group" : Quotation.quoted(identifier)
            throw CrosstieError(.notFound, "no \(what) is bound to \(subject)", at: "identifier")
        }
    }

    /// Ends listeners that have been removed.
    private func finish(_ bindings: [Binding]) -> Status {
        var status = Status.ok
        for binding in bindings where table.finish(binding) == .pending { status = .pending }
        return status
    }

    package func removeAllListeners() -> Status {
        if isInsideItsTransport { return .deadlock }
        return useIfOpen { inTime(removeAll) } ?? (isForked ? .forked : .closed)
    }

    /// The same for a wormhole that is closing.
    func removeAll() -> Status { finish(table.removeAll()) }

    /// A listener that is not bound yet. `end` runs exactly once if ``bind(_:)`` succeeds, else never.
    package func makeBinding(
        _ identifier: UnsafeRawBufferPointer, _ options: ListenOptions,
        call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) throws(CrosstieError) -> Binding {
        let topic = try Topic(identifier)
        return try makeBinding(topic, transport.feed(topic, options), options, call: call, end: end)
    }

    /// The same for a listener to the members of the group.
    package func makeMemberBinding(
        _ options: ListenOptions, call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) throws(CrosstieError) -> Binding {
        try makeBinding(.members, transport.memberFeed(options), options, call: call, end: end)
    }

    /// The same for a listener to the connection to the group's server.
    package func makeConnectionBinding(
        _ options: ListenOptions, call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) throws(CrosstieError) -> Binding {
        try makeBinding(.connection, transport.connectionFeed(options), options, call: call, end: end)
    }

    private func makeBinding(
        _ topic: Topic, _ feed: any Feed, _ options: ListenOptions,
        call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) throws(CrosstieError) -> Binding {
        guard options.name.count <= Identifier.maximumSize else {
            throw CrosstieError(.limitExceeded, "a listener's name has at most \(Identifier.maximumSize) bytes")
        }
        guard options.delivery != .durable || !options.name.isEmpty else {
            throw CrosstieError(.invalidArgument, "a durable listener needs a name")
        }
        guard (1...ListenOptions.maximumUnacknowledged).contains(options.maximumOpen) else {
            throw CrosstieError(
                .limitExceeded, "at most \(ListenOptions.maximumUnacknowledged) messages are unacknowledged")
        }
        if case .time(let time) = options.start, time < 0 {
            throw CrosstieError(.invalidArgument, "a time before 1970", at: "options.from_time")
        }
        return Binding(topic, of: self, options, feed: feed, call: call, end: end)
    }

    /// Binds a listener. Gives `pending` when the one it replaces is running still.
    package func bind(_ binding: Binding) throws(CrosstieError) -> Status {
        try use { () throws(CrosstieError) in
            try startListening()
            binding.feed.connect { [table, weak binding] in
                if let binding { table.putBack(binding) }
            }
            let replaced = try table.add(binding)
            table.nudge()
            return replaced.map(table.finish) ?? .ok
        }
    }

    /// Makes a durable consumer without listening to it.
    package func declare(
        _ identifier: UnsafeRawBufferPointer, name: [UInt8], _ options: DurableOptions, fromOldest: Bool,
        mayChange: Bool
    ) throws(CrosstieError) {
        let topic = try Topic(identifier)
        guard !name.isEmpty, name.count <= Identifier.maximumSize else {
            throw CrosstieError(
                .limitExceeded, "a durable consumer has 1 to \(Identifier.maximumSize) bytes", at: "name")
        }
        try use { () throws(CrosstieError) in
            try transport.declare(
                CursorKey(topic, name: name), options, fromOldest: fromOldest, mayChange: mayChange)
        }
    }

    /// The durable consumers of the group, in the order of names.
    package func durables() throws(CrosstieError) -> [Wormhole.Durable] {
        try use { () throws(CrosstieError) in try transport.durables() }
    }

    /// Moves a durable consumer. False if there is none.
    package func seek(
        _ identifier: UnsafeRawBufferPointer, name: [UInt8], to start: QueueStart
    ) throws(CrosstieError) -> Bool {
        if case .time(let time) = start, time < 0 {
            throw CrosstieError(.invalidArgument, "a time before 1970", at: "time")
        }
        return try use { () throws(CrosstieError) in
            guard let key = CursorKey(of: identifier, name: name) else { return false }
            return try transport.seek(key, to: start)
        }
    }

    /// Removes a durable consumer from the group. False if there is none.
    package func forget(_ identifier: UnsafeRawBufferPointer, name: [UInt8]) throws(CrosstieError) -> Bool {
        guard let key = CursorKey(of: identifier, name: name) else { return false }
        return try use { () throws(CrosstieError) in try transport.forget(key) }
    }

    /// Removes a listener; nil if it was removed before.
    package func unbind(_ binding: Binding) -> Status? {
        if isInsideItsTransport { return .deadlock }
        // A closed one has removed all, or is about to.
        return useIfOpen { inTime { table.remove(binding) ? table.finish(binding) : nil } } ?? nil
    }
}
