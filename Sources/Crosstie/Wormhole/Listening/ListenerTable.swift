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
    /// The one that is being called.
    private var running: Binding?
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
            listen(binding.topic, by: 1)
            do throws(CrosstieError) {
                // Read after the bells know of it, so that no change falls between.
                binding.heard = try group.sequence()
            } catch {
                listen(binding.topic, by: -1)
                throw error
            }
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
            let all = exact.values.flatMap { $0 } + prefixes
            for binding in all { detach(binding) }
            return all
        }
    }

    /// Ends a removed listener: waits for its running call, or, inside a callback, leaves it to the thread
    /// that runs it and answers `pending`.
    func settle(_ binding: Binding) -> Status {
        let isPending = monitor.with {
            if running === binding, ThreadSlot.current.isInCallback {
                binding.endsAfterCall = true
                return true
            }
            while running === binding { monitor.wait() }
            return false
        }
        if isPending { return .pending }
        binding.finish()
        return .ok
    }

    // MARK: Calling

    /// The listeners that have to be looked after: those that are due, and those whose identifiers may have
    /// changed; all, when it is not known what has.
    func takeConcerned(_ changed: Set<UInt64>?) -> [Binding] {
        monitor.with {
            let waiting = due
            due = []
            guard let changed else { return exact.values.flatMap { $0 } + prefixes }
            guard !changed.isEmpty else { return waiting }
            let touched = changed.flatMap { exact[$0] ?? [] } + prefixes
            return waiting + touched.filter { candidate in !waiting.contains { $0 === candidate } }
        }
    }

    /// Has listeners looked after again.
    func putBack(_ bindings: some Sequence<Binding>) {
        monitor.with { due.append(contentsOf: bindings.filter { !$0.isRemoved }) }
    }

    /// Calls a listener unless it was removed.
    func call(_ binding: Binding, _ message: Message) {
        let mayRun = monitor.with {
            guard !binding.isRemoved else { return false }
            running = binding
            return true
        }
        guard mayRun else { return }
        ThreadSlot.current.withCallback(isTrusted: true) { binding.tell(message) }
        let endsNow = monitor.with {
            running = nil
            monitor.tellAll()
            return binding.endsAfterCall
        }
        if endsNow { binding.finish() }
    }

    // MARK: With the monitor held

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
        if binding.isFirstFireDue { due.append(binding) }
        count += 1
    }

    private func detach(_ binding: Binding) {
        binding.isRemoved = true
        prefixes.removeAll { $0 === binding }
        due.removeAll { $0 === binding }
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
