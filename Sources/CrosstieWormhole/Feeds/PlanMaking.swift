/// A plan that is being made.
struct PlanMaking {
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
