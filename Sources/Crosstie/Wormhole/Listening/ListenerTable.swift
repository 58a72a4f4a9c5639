/// The listeners of one wormhole. Any thread changes it; one thread calls the listeners.
final class ListenerTable {
    private let group: Group
    private let slot: Int
    private let monitor = Monitor()
    /// Listeners on identifiers, by hash.
    private var exact: [UInt64: [Binding]] = [:]
    private var prefixes: [Binding] = []
    /// Listeners to be looked after although nothing has changed.
    private var due: [Binding] = []
    /// Those that may have to be looked after at a time.
    private var timed: [Binding] = []
    /// Those that want every message.
    private var queues: [Binding] = []
    private var count = 0
    /// How many listeners set each bucket of the bells.
    private var bucketUses = [Int32](repeating: 0, count: BellsLayout.bucketCount)

    static var maximumCount: Int { 65_536 }

    init(group: Group, slot: Int) {
        self.group = group
        self.slot = slot
    }

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
            listen(binding.topic, by: 1)
        }
        do throws(CrosstieError) {
            // After the bells know of it, so that no change falls between.
            try binding.feed.start()
        } catch {
            monitor.with {
                count -= 1
                listen(binding.topic, by: -1)
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
    /// that runs it and answers `pending`.
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

    // MARK: Attending

    /// The listeners that have to be looked after: those that are due, and those whose identifiers may have
    /// changed since a number; all, when it is not known what has.
    func takeConcerned(_ changed: Set<UInt64>?, since heard: UInt64) -> [Binding] {
        monitor.with {
            var concerned = due
            due = []
            for binding in concerned { binding.isDue = false }
            if let changed, changed.isEmpty { return concerned }
            let touched = changed.map { $0.flatMap { exact[$0] ?? [] } + prefixes } ?? all
            let waiting = Set(concerned.map(ObjectIdentifier.init))
            for binding in touched where !waiting.contains(ObjectIdentifier(binding)) {
                binding.feed.skip(to: heard)
                concerned.append(binding)
            }
            return concerned
        }
    }

    /// Has a listener looked after again.
    func putBack(_ binding: Binding) { monitor.with { makeDue(binding) } }

    /// Has those looked after whose time has come. Gives when the next one's comes.
    func putBackWhoseTimeHasCome() -> UInt64 {
        monitor.with {
            guard !timed.isEmpty else { return .max }
            let now = Clock.now()
            for binding in timed where binding.feed.wakeTime <= now { makeDue(binding) }
            return timed.lazy.map { $0.feed.wakeTime }.min() ?? .max
        }
    }

    /// Has all those looked after that may have to be at a time.
    func putBackTimed() { monitor.with { timed.forEach(makeDue) } }

    /// Tells writers what the queue listeners need no more: those that are not due have heard everything up to a number.
    func noteQueuesHeard(upTo heard: UInt64) {
        monitor.with {
            guard !queues.isEmpty else { return }
            let behind = queues.lazy.filter { $0.isDue || $0.isAttended || $0.feed.isHeldBack }.compactMap {
                $0.feed.queueHeard
            }
            let needless = min(behind.min() ?? .max, heard)
            group.bells.queuesHeard(slot).pointee.store(needless, ordering: .releasing)
        }
    }

    /// Runs `body`, which collects and calls, unless the listener was removed; it is not ended meanwhile.
    func attend(_ binding: Binding, _ body: () -> Void) {
        let mayRun = monitor.with {
            guard !binding.isRemoved else { return false }
            binding.isAttended = true
            return true
        }
        guard mayRun else { return }
        body()
        let endsNow = monitor.with {
            binding.isAttended = false
            monitor.tellAll()
            return binding.endsAfterCall
        }
        if endsNow { binding.finish() }
    }

    /// Calls a listener that is attended, unless it was removed.
    func call(_ binding: Binding, _ message: Message) {
        guard monitor.with({ !binding.isRemoved }) else { return }
        ThreadSlot.current.withCallback(isTrusted: true) { binding.tell(message) }
    }

    // MARK: With the monitor held

    private var all: [Binding] { exact.values.flatMap { $0 } + prefixes }

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

    private func makeDue(_ binding: Binding) {
        guard !binding.isRemoved, !binding.isDue else { return }
        binding.isDue = true
        due.append(binding)
    }

    private func detach(_ binding: Binding) {
        binding.isRemoved = true
        prefixes.removeAll { $0 === binding }
        due.removeAll { $0 === binding }
        timed.removeAll { $0 === binding }
        queues.removeAll { $0 === binding }
        exact[binding.topic.hash]?.removeAll { $0 === binding }
        if exact[binding.topic.hash]?.isEmpty == true { exact[binding.topic.hash] = nil }
        count -= 1
        listen(binding.topic, by: -1)
    }

    /// Tells the bells what is listened to.
    private func listen(_ topic: Topic, by step: Int32) {
        let bucket = Bells.bucketIndex(topic.hash)
        bucketUses[bucket] += step
        if bucketUses[bucket] == (step > 0 ? 1 : 0) {
            group.bells.setBit(slot, in: Bells.bucketOffset(topic.hash), step > 0)
        }
        guard topic.isPrefix else { return }
        prefixUses += step
        group.bells.setBit(slot, in: BellsLayout.prefixMaskOffset, prefixUses > 0)
    }

    private var prefixUses: Int32 = 0
}
