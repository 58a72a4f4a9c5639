/// Concurrent sends of this process's threads, in one transaction.
extension Group {
    @inline(never)
    func write(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64, with combined: CombinedWriter
    ) throws(CrosstieError) -> Receipt {
        try combined.write(changes, sender, timeout: timeout) { own in
            do throws(CrosstieError) {
                try lockWriters(timeout: own.left)
            } catch {
                return [(own, .failure(error))]
            }
            let steps = combined.take(with: own)
            do throws(CrosstieError) {
                return try writeLocked(steps, timeout: own.left)
            } catch {
                // One of them is to blame: each gets a status of its own.
                return steps.map { step in (step, steps.count == 1 ? .failure(error) : written(step)) }
            }
        }
    }

    private func written(_ step: CombinedWriter.Step) -> Result<Receipt, CrosstieError> {
        Result { () throws(CrosstieError) in try writeAloneSeldom(step.changes, from: step.sender, timeout: step.left) }
    }

    /// Writes steps, all or none. The writers' lock is held, and released.
    private func writeLocked(
        _ steps: [CombinedWriter.Step], timeout: UInt64
    ) throws(CrosstieError) -> [CombinedWriter.Finished] {
        let newest = steps.map { NewestChanges($0.changes) }
        let identifiers = steps.flatMap { step in step.changes.map(\.identifier) }
        var notified: [MemberMask] = []
        let receipt = try transactLockedSeldom(
            count: identifiers.count, timeout: timeout, room: room(for: steps), identifier: { identifiers[$0] },
            listeners: {
                notified = zip(steps, newest).map { listeners(of: $0.changes, $1) }
                return notified.reduce(into: MemberMask()) { $0.formUnion($1) }
            }
        ) { transaction, first throws(CrosstieError) in
            var first = first
            for (step, newest) in zip(steps, newest) {
                try apply(step.changes, newest, from: step.sender, first, to: transaction)
                first &+= UInt64(step.changes.count)
            }
        }
        var first = receipt.sequence
        return zip(steps, notified).map { step, notified in
            defer { first &+= UInt64(step.changes.count) }
            return (step, .success(Receipt(sequence: first, notified: notified)))
        }
    }

    private func room(for steps: [CombinedWriter.Step]) -> Int? {
        let rooms = steps.compactMap { room(for: $0.changes, $0.sender) }
        return rooms.isEmpty ? nil : rooms.reduce(0, &+)
    }
}
