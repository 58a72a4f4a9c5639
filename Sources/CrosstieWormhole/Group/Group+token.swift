/// Messages with a host's token, of which one at most is sent.
extension Group {
    /// Makes changes in one step, unless a step with that token has been made.
    @inline(never)
    func write(
        _ changes: [Change], _ token: StepToken, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        let outcome = changes.withUnsafeBufferPointer { changes in
            Result { () throws(CrosstieError) in
                do throws(CrosstieError) {
                    return try writeOnce(changes, token, from: sender, timeout: timeout)
                } catch {
                    guard error.isForRoom else { throw error }
                    let receipt = try writeGathering(changes, from: sender, timeout: timeout, after: error)
                    sentTokens.add((token, receipt.sequence))
                    return receipt
                }
            }
        }
        return try outcome.get()
    }

    private func writeOnce(
        _ changes: UnsafeBufferPointer<Change>, _ token: StepToken, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        let newest = NewestChanges(changes)
        return try once(token) { note throws(CrosstieError) in
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

    /// Runs a step once for a token; of one that was made before it gives the number.
    func once(
        _ token: StepToken, _ body: (TokenNote) throws(CrosstieError) -> Receipt
    ) throws(CrosstieError) -> Receipt {
        let note = TokenNote(token, sentTokens)
        do throws(CrosstieError) {
            return try body(note)
        } catch {
            guard let known = note.known else { throw error }
            return Receipt(sequence: known, notified: MemberMask())
        }
    }
}
