/// The listeners of one wormhole. Any thread changes it; the wormhole's own thread finds the listeners that need attention.
final class ListenerTable: ListenerList {
    let transport: AnyTransport
    let monitor = Monitor()
    /// The group's sequence number up to which all bindings that are ``Attendance/idle`` have been updated.
    var consumed: UInt64 = 0
    /// Listeners on identifiers, by hash.
    private(set) var exact: [UInt64: BindingList] = [:]
    private(set) var prefixes = BindingList()
    /// Those that have a name.
    private var named: [BindingList.BindingName: Binding] = [:]
    /// Listeners to be looked after although nothing has changed; some may have been removed since: so many.
    var due: [Binding] = []
    var removedDueCount = 0
    /// Those to be tried again, and when.
    var refused: [Binding] = []
    var retryTime = UInt64.max
    /// The time at which the thread looks at the table without a notification.
    var nextTime = UInt64.max
    /// Those that may have to be looked after at a time.
    private(set) var timed: [ObjectIdentifier: Binding] = [:]
    /// Those that need every message.
    private(set) var queues: [ObjectIdentifier: Binding] = [:]
    private var count = 0
    /// The number of queue listeners that are being entered in the store, which need all messages from then on.
    var startingCount = 0

    static var maximumCount: Int { 65_536 }

    init(_ transport: AnyTransport) { self.transport = transport }

    deinit { monitor.free() }

    // MARK: Changing

    /// Enters a listener, which gets every change from here on. Returns the one that it replaces, already removed and
    /// to be ended.
    func add(_ binding: Binding) throws(CrosstieError) -> Binding? {
        let isQueue = binding.feed.queueConsumed != nil
        try monitor.with { () throws(CrosstieError) in
            guard count < ListenerTable.maximumCount else {
                throw CrosstieError(.limitExceeded, "a wormhole has at most \(ListenerTable.maximumCount) listeners")
            }
            count += 1
            if isQueue { startingCount += 1 }
            transport.listen(to: binding.topic, true)
        }
        do throws(CrosstieError) {
            // After the wakeups know the topic, so that no change is missed in between.
            try binding.feed.start()
        } catch {
            monitor.with {
                count -= 1
                if isQueue { startingCount -= 1 }
                transport.listen(to: binding.topic, false)
            }
            throw error
        }
        return monitor.with {
            let replaced = BindingList.BindingName(binding).flatMap { named[$0] }
            if let replaced { detach(replaced) }
            insert(binding)
            if isQueue { startingCount -= 1 }
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
            guard let binding = named[BindingList.BindingName(topic: topic, name: name)] else { return nil }
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

    /// The same of one topic.
    func removeAll(of topic: Topic) -> [Binding] {
        monitor.with {
            let found = all.filter { $0.topic == topic }
            for binding in found { detach(binding) }
            return found
        }
    }

    /// Ends a removed listener and waits for its running call. Inside a callback, and if the host does not want this
    /// thread to wait, leaves it to the thread that runs it and returns `pending`. A queued job is not waited for, and
    /// does nothing.
    func finish(_ binding: Binding) -> Status {
        let slot = ThreadSlot.current
        let isPending = monitor.with {
            var waits = !slot.isInCallback
            if binding.isAttended, waits {
                let begin = Clock.now()
                while binding.isAttended, waits { waits = monitor.waitWanted() }
                // The time of the host's listener is not the call's.
                slot.putOffDeadline(by: Clock.now() &- begin)
            }
            binding.endsAfterCall = binding.isAttended
            return binding.isAttended
        }
        if isPending { return .pending }
        binding.finish()
        return .ok
    }

    // MARK: With the monitor held

    var all: [Binding] {
        var all: [Binding] = []
        forEach { all.append($0) }
        return all
    }

    func forEach(_ body: (Binding) -> Void) {
        for bindings in exact.values { bindings.forEach(body) }
        prefixes.forEach(body)
    }

    private func insert(_ binding: Binding) {
        if binding.topic.isPrefix {
            prefixes.append(binding)
        } else {
            exact[binding.topic.hash, default: BindingList()].append(binding)
        }
        if let name = BindingList.BindingName(binding) { named[name] = binding }
        if binding.feed.isTimed { timed[ObjectIdentifier(binding)] = binding }
        if binding.feed.queueConsumed != nil { queues[ObjectIdentifier(binding)] = binding }
        makeDue(binding)
    }

    /// In constant time, so that removing thousands one by one takes no longer than it has to.
    private func detach(_ binding: Binding) {
        binding.isRemoved = true
        forgetDue(binding)
        if binding.topic.isPrefix {
            prefixes.remove(binding)
        } else {
            exact[binding.topic.hash]?.remove(binding)
            if exact[binding.topic.hash]?.isEmpty == true { exact[binding.topic.hash] = nil }
        }
        if let name = BindingList.BindingName(binding) { named[name] = nil }
        timed[ObjectIdentifier(binding)] = nil
        queues[ObjectIdentifier(binding)] = nil
        count -= 1
        transport.listen(to: binding.topic, false)
    }
}
