/// Messages with a host's token, of which one at most is sent.
extension Group {
    /// Makes changes in one step, unless a step with the note's token has been made.
    @inline(never)
    func write(
        _ changes: [Change], _ note: TokenNote, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        let outcome = changes.withUnsafeBufferPointer { changes in
            Result { () throws(CrosstieError) in
                do throws(CrosstieError) {
                    return try writeOnce(changes, note, from: sender, timeout: timeout)
                } catch {
                    guard error.isForRoom else { throw error }
                    return try gatheringRoom(for: changes, from: sender, timeout: timeout, after: error) {
                        left throws(CrosstieError) in try writeOnce(changes, note, from: sender, timeout: left)
                    }
                }
            }
        }
        return try outcome.get()
    }

    private func writeOnce(
        _ changes: UnsafeBufferPointer<Change>, _ note: TokenNote, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        let newest = NewestChanges(changes)
        return try note.once { () throws(CrosstieError) in
            try transactSeldom(
                count: changes.count, timeout: timeout, room: room(for: changes, sender),
                identifier: { changes[$0].identifier },
                listeners: {
                    note.isDone()
                    return listeners(of: changes, newest)
                }
            ) { transaction, first throws(CrosstieError) in
                try note.begin(transaction, first)
                try apply(changes, newest, from: sender, first, to: transaction)
            }
        }
    }
}
