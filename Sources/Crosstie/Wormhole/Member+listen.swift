extension Member {
    package func removeListener(_ identifier: UnsafeRawBufferPointer, name: [UInt8]) -> Status {
        do throws(CrosstieError) {
            let topic = try Topic(identifier)
            return try use { () throws(CrosstieError) in
                table.remove(topic, name: name).map(table.settle) ?? .notFound
            }
        } catch {
            return error.status == .identifier ? .notFound : error.status
        }
    }

    package func removeListeners() -> Status {
        if isInsideItsTransport { return .deadlock }
        return useIfOpen(removeAll) ?? (isForked ? .forked : .closed)
    }

    /// The same for a wormhole that is closing.
    func removeAll() -> Status {
        var status = Status.ok
        for binding in table.removeAll() where table.settle(binding) == .pending { status = .pending }
        return status
    }

    /// A listener that is not bound yet. `end` runs exactly once if ``bind(_:)`` succeeds, else never.
    package func makeBinding(
        _ identifier: UnsafeRawBufferPointer, _ options: ListenOptions,
        call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) throws(CrosstieError) -> Binding {
        let topic = try Topic(identifier)
        return try makeBinding(topic, transport.feed(topic, options), options, call: call, end: end)
    }

    /// The same for a listener to who has the group open.
    package func makeMemberBinding(
        _ options: ListenOptions, call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) throws(CrosstieError) -> Binding {
        try makeBinding(.members, transport.memberFeed(options), options, call: call, end: end)
    }

    private func makeBinding(
        _ topic: Topic, _ feed: any Feed, _ options: ListenOptions,
        call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) throws(CrosstieError) -> Binding {
        guard options.name.count <= Identifier.maximumSize else {
            throw CrosstieError(.limit, "a listener's name has at most \(Identifier.maximumSize) bytes")
        }
        guard options.delivery != .durable || !options.name.isEmpty else {
            throw CrosstieError(.invalid, "a durable listener needs a name")
        }
        guard (1...ListenOptions.maximumUnacknowledged).contains(options.maximumOpen) else {
            throw CrosstieError(.limit, "at most \(ListenOptions.maximumUnacknowledged) messages are unacknowledged")
        }
        return Binding(
            topic, of: self, name: options.name, feed: feed, place: options.place, call: call, end: end)
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
            return replaced.map(table.settle) ?? .ok
        }
    }

    /// Removes a durable name from the group. False if there is none.
    package func forget(_ identifier: UnsafeRawBufferPointer, name: [UInt8]) throws(CrosstieError) -> Bool {
        guard let topic = try? Topic(identifier), !name.isEmpty, name.count <= Identifier.maximumSize else {
            return false
        }
        return try use { () throws(CrosstieError) in
            try transport.forget(CursorKey(topic, name: name))
        }
    }

    /// Removes a listener; nil if it was removed before.
    package func unbind(_ binding: Binding) -> Status? {
        if isInsideItsTransport { return .deadlock }
        // A closed one has removed all, or is about to.
        return useIfOpen { table.remove(binding) ? table.settle(binding) : nil } ?? nil
    }
}
