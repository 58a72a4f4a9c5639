/// The messages that wait for a consumer, or are its dead letters, for queries in ascending order: most are answered
/// without reading the store.
struct WaitingReader {
    private let identity: UInt64
    /// Of the records: ``StoreKey/waiting`` or ``StoreKey/deadLetter``.
    let type: UInt8
    /// There is none in these numbers but the last one, if that is not the largest.
    private var known: ClosedRange<UInt64>

    init(of cursor: CursorState, type: UInt8 = StoreKey.waiting) {
        self.type = type
        identity = type == StoreKey.waiting ? cursor.shelf : cursor.identity
        let count = type == StoreKey.waiting ? cursor.waitingCount : cursor.tally.deadCount
        known = count > 0 ? .max ... .max : 0 ... .max
    }

    /// The first of all; nil if there is none.
    mutating func first(in transaction: borrowing StoreTransaction) throws(CrosstieError) -> UInt64? {
        let next = try next(from: 0, in: transaction)
        return next < .max ? next : nil
    }

    mutating func contains(
        _ sequence: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        sequence < .max ? try next(from: sequence, in: transaction) == sequence : false
    }

    private mutating func next(
        from sequence: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> UInt64 {
        if !known.contains(sequence) {
            let next = try transaction.firstWaiting(of: identity, from: sequence, type: type) ?? .max
            known = sequence...max(sequence, next)
        }
        return known.upperBound
    }
}
