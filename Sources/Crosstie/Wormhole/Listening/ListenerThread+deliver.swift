extension ListenerThread {
    /// Tells the listeners what is new.
    func deliver() {
        lastTold = nil
        heedGivenBack()
        var failed: [Binding] = []
        repeat {
            // Unreadable for want of memory or of a reader's place: again within a second.
            guard let sequence = try? group.sequence() else { break }
            let concerned = table.takeConcerned(changes(upTo: sequence), since: heard)
            heard = sequence
            if concerned.isEmpty { break }
            for binding in concerned where !shallStop {
                switch attend(binding) {
                case .done: break
                case .hasMore: table.putBack(binding)
                case .failed: failed.append(binding)
                }
            }
            table.noteQueuesHeard(upTo: heard)
        } while !shallStop
        for binding in failed { table.putBack(binding) }
        if !failed.isEmpty { table.noteQueuesHeard(upTo: heard) }
    }

    /// Messages that were given back may be for any durable name.
    private func heedGivenBack() {
        let now = group.bells.givenBack.pointee.load(ordering: .acquiring)
        guard now != seenGivenBack else { return }
        seenGivenBack = now
        table.putBackTimed()
    }

    private enum Outcome {
        case done, hasMore, failed
    }

    /// Tells a listener what is new.
    private func attend(_ binding: Binding) -> Outcome {
        var outcome = Outcome.done
        table.attend(binding) {
            var batch = Batch()
            do throws(CrosstieError) {
                try binding.feed.collect(into: &batch)
            } catch {
                outcome = .failed
                return
            }
            for message in batch.messages where !shallStop {
                table.call(binding, message)
                lastTold = binding.topic.hash
            }
            if binding.feed.isQueue { queuedCount += batch.messages.count }
            if batch.hasMore { outcome = .hasMore }
        }
        return outcome
    }

    /// The hashes of what has changed since the last round; nil when that is not known.
    private func changes(upTo sequence: UInt64) -> Set<UInt64>? {
        guard sequence > heard else { return [] }
        guard heard != 0, sequence &- heard <= BellsLayout.ringCount / 2 else { return nil }
        var hashes: Set<UInt64> = []
        for change in heard + 1...sequence {
            guard let hash = group.bells.hash(ofChange: change), hash != 0 else { return nil }
            hashes.insert(hash)
        }
        return hashes
    }
}
