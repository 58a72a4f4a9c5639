/// The identifiers below a prefix that the trail names.
struct ChangedNames {
    private let stem: ArraySlice<UInt8>
    private let hash: UInt64
    private(set) var names: Set<[UInt8]> = []

    init(below topic: Topic) {
        stem = topic.stem
        hash = topic.hash
    }

    /// Takes those that have changed after one number and up to another. False if they are not all known.
    mutating func follow(_ wakeups: Wakeups, after consumed: UInt64, upTo last: UInt64) -> Bool {
        var found: Set<[UInt8]> = []
        let isKnown = wakeups.followTrail(hash, after: consumed, upTo: last) { _, name in
            // Other prefixes share the bucket; and whatever stands in the bells may be anything.
            if name.starts(with: stem), Identifier(name) != nil { found.insert(Array(name)) }
        }
        names = found
        return isKnown
    }
}

extension StoreTransaction {
    /// Plans the delivery of some identifiers.
    func plan(
        _ names: Set<[UInt8]>, _ view: StateView, _ unreadable: UnreadableRecords, _ topic: Topic
    ) throws(CrosstieError) -> PrefixPlan {
        var making = PlanMaking(view, unreadable)
        var hasLost = false
        for name in names {
            try name.withBytes { name throws(CrosstieError) in
                let stored = try get(StoreKey.current, name)
                if let stored { making.add(.current, name, stored) } else { hasLost = true }
                guard view.meta.lastSignal > view.consumed, let signal = try get(StoreKey.signal, name) else { return }
                making.add(.signal, name, signal)
            }
        }
        return making.finish(topic, mayHaveForgotten: hasLost)
    }

    /// Plans the delivery of all identifiers below a prefix.
    func planAll(
        below topic: Topic, _ view: StateView, _ unreadable: UnreadableRecords
    ) throws(CrosstieError) -> PrefixPlan {
        var making = PlanMaking(view, unreadable)
        let stem = Array(topic.stem)
        for (type, what) in [(StoreKey.current, PrefixPlan.What.current), (StoreKey.signal, .signal)] {
            if what == .signal, view.meta.lastSignal <= view.consumed { break }
            try scan(type, from: stem) { name, stored throws(CrosstieError) in
                guard name.starts(with: stem) else { return .stop }
                making.add(what, name, stored)
                return .next
            }
        }
        return making.finish(topic, mayHaveForgotten: true)
    }
}

/// A plan that is being made.
private struct PlanMaking {
    private let view: StateView
    private let unreadable: UnreadableRecords
    private var plan: PrefixPlan
    private var unreadableCount = 0

    init(_ view: StateView, _ unreadable: UnreadableRecords) {
        self.view = view
        self.unreadable = unreadable
        plan = PrefixPlan(upTo: view.upTo, destroyedAll: view.meta.destroyedAll)
    }

    mutating func add(
        _ what: PrefixPlan.What, _ name: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer
    ) {
        guard let record = StateRecord(stored) else {
            if what == .current { addUnreadable(name) }
            return
        }
        // A record under a malformed key cannot be delivered.
        guard view.isNews(record.stamp.sequence), Identifier(name) != nil else { return }
        plan.add(what, record.stamp.sequence, name)
    }

    private mutating func addUnreadable(_ name: UnsafeRawBufferPointer) {
        guard unreadableCount < UnreadableRecords.maximumCount, unreadable.isNews(name), Identifier(name) != nil else {
            return
        }
        unreadableCount += 1
        plan.add(.current, 0, name)
    }

    /// Messages destroyed without a record of each are reported under the prefix itself.
    mutating func finish(_ topic: Topic, mayHaveForgotten: Bool) -> PrefixPlan {
        let (destroyed, forgotten) = (view.meta.destroyedAll.sequence, view.meta.forgotten)
        topic.text.withUnsafeBytes { text in
            if view.isNews(destroyed) { plan.add(.destroyedAll, destroyed, text) }
            guard mayHaveForgotten, view.isNews(forgotten), forgotten > destroyed else { return }
            plan.add(.forgotten, forgotten, text)
        }
        plan.sort()
        return plan
    }
}
