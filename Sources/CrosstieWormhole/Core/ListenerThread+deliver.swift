extension ListenerThread {
    /// Delivers news to the listeners, a batch to each at most, so that a busy one keeps no other waiting.
    func deliver() {
        lastDelivered = nil
        heedGivenBack()
        // Unreadable for lack of memory or of a reader's entry: try again within a second.
        guard let sequence = try? transport.sequence() else { return }
        let concerned = table.takeConcerned(transport.changes(after: table.consumed, upTo: sequence), upTo: sequence)
        if concerned.isEmpty { return }
        for binding in concerned where !shallStop {
            let count = table.lookAfter(binding)
            if count > 0 { lastDelivered = binding.topic.hash }
            if binding.feed.isQueue, count > 1 { streamedCount += count }
        }
        table.noteQueuesConsumed()
    }

    /// Freed messages may be for any durable consumer.
    private func heedGivenBack() {
        let now = transport.givenBackCount
        guard now != seenGivenBack else { return }
        seenGivenBack = now
        table.heedTimed()
    }
}
