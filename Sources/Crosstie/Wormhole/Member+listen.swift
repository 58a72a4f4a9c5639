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
        useIfOpen(removeAll) ?? (isForked ? .forked : .closed)
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
        guard options.name.count <= Identifier.maximumSize else {
            throw CrosstieError(.limit, "a listener's name has at most \(Identifier.maximumSize) bytes")
        }
        let topic = try Topic(identifier)
        return Binding(
            topic, of: self, name: options.name, feed: try feed(topic, options), place: options.place, call: call,
            end: end)
    }

    private func feed(_ topic: Topic, _ options: ListenOptions) throws(CrosstieError) -> any Feed {
        switch options.delivery {
        case .state: StateFeed(topic, of: group, firstFire: options.firstFire)
        case .queue: QueueFeed(topic, of: group, interests: queueInterests, fromOldest: options.fromOldest)
        }
    }

    /// Binds a listener. Gives `pending` when the one it replaces is running still.
    package func bind(_ binding: Binding) throws(CrosstieError) -> Status {
        try use { () throws(CrosstieError) in
            try startListening()
            let replaced = try table.add(binding)
            table.nudge()
            return replaced.map(table.settle) ?? .ok
        }
    }

    /// Removes a listener; nil if it was removed before.
    package func unbind(_ binding: Binding) -> Status? {
        // A closed one has removed all, or is about to.
        useIfOpen { table.remove(binding) ? table.settle(binding) : nil } ?? nil
    }
}
