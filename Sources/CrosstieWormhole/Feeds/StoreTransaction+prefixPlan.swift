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
