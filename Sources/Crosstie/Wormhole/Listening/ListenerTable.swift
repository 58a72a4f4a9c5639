/// The listeners of one wormhole. Any thread changes it; the wormhole's own finds out who has to be looked after.
final class ListenerTable {
    let transport: any Transport
    let monitor = Monitor()
    /// The group's sequence number up to which everybody has been looked after who is ``Attendance/idle``.
    var heard: UInt64 = 0
    /// Listeners on identifiers, by hash.
    private(set) var exact: [UInt64: [Binding]] = [:]
    private(set) var prefixes: [Binding] = []
    /// Listeners to be looked after although nothing has changed.
    var due: [Binding] = []
    /// Those to be tried again, and when.
    var refused: [Binding] = []
    var retryTime = UInt64.max
    /// When the thread looks at the table although nothing rings.
    var nextTime = UInt64.max
    /// Those that may have to be looked after at a time.
    private(set) var timed: [Binding] = []
    /// Those that want every message.
    private(set) var queues: [Binding] = []
    private var count = 0

    static var maximumCount: Int { 65_536 }

    init(_ transport: any Transport) { self.transport = transport }

    deinit { monitor.free() }

    // MARK: Changing

    /// Enters a listener, which hears of every change from here on. Gives the one that it replaces, already
    /// removed and to be settled.
    func add(_ binding: Binding) throws(CrosstieError) -> Binding? {
        try monitor.with { () throws(CrosstieError) in
            guard count < ListenerTable.maximumCount else {
                throw CrosstieError(.limit, "a wormhole has at most \(ListenerTable.maximumCount) listeners")
            }
            count += 1
            transport.listen(to: binding.topic, true)
        }
        do throws(CrosstieError) {
            // After the bells know of it, so that no change falls between.
            try binding.feed.start()
        } catch {
            monitor.with {
                count -= 1
                transport.listen(to: binding.topic, false)
            }
            throw error
        }
        return monitor.with {
            let replaced = binding.name.isEmpty ? nil : find(binding.topic, binding.name)
            if let replaced { detach(replaced) }
            insert(binding)
            return replaced
        }
    }

    /// Removes a listener. False if it was removed before.
    func remove(_ binding: Binding) -> Bool {
        monitor.with {
            guard !binding.isRemoved else { return false }
            detach(binding)
            return true
        }
    }

    /// Removes the listener of a name; nil if there is none.
    func remove(_ topic: Topic, name: [UInt8]) -> Binding? {
        monitor.with {
            guard let binding = find(topic, name) else { return nil }
            detach(binding)
            return binding
        }
    }

    func removeAll() -> [Binding] {
        monitor.with {
            let everyone = all
            for binding in everyone { detach(binding) }
            return everyone
        }
    }

    /// Ends a removed listener: waits for its running call, or, inside a callback, leaves it to the thread
    /// that runs it and answers `pending`. A job that still stands somewhere is not waited for, and does nothing.
    func settle(_ binding: Binding) -> Status {
        let isPending = monitor.with {
            if binding.isAttended, ThreadSlot.current.isInCallback {
                binding.endsAfterCall = true
                return true
            }
            while binding.isAttended { monitor.wait() }
            return false
        }
        if isPending { return .pending }
        binding.finish()
        return .ok
    }

    // MARK: With the monitor held

    var all: [Binding] { exact.values.flatMap { $0 } + prefixes }

    private func find(_ topic: Topic, _ name: [UInt8]) -> Binding? {
        let candidates = topic.isPrefix ? prefixes : exact[topic.hash] ?? []
        return candidates.first { $0.topic == topic && $0.name == name }
    }

    private func insert(_ binding: Binding) {
        if binding.topic.isPrefix {
            prefixes.append(binding)
        } else {
            exact[binding.topic.hash, default: []].append(binding)
        }
        if binding.feed.isTimed { timed.append(binding) }
        if binding.feed.queueHeard != nil { queues.append(binding) }
        makeDue(binding)
    }

    private func detach(_ binding: Binding) {
        binding.isRemoved = true
        prefixes.removeAll { $0 === binding }
        due.removeAll { $0 === binding }
        refused.removeAll { $0 === binding }
        timed.removeAll { $0 === binding }
        queues.removeAll { $0 === binding }
        exact[binding.topic.hash]?.removeAll { $0 === binding }
        if exact[binding.topic.hash]?.isEmpty == true { exact[binding.topic.hash] = nil }
        count -= 1
        transport.listen(to: binding.topic, false)
    }
}
