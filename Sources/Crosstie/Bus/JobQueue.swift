/// The jobs that wait for a worker, in their order.
struct JobQueue: ~Copyable {
    private struct Entry {
        let turn: UInt64
        let job: QueuedJob
    }

    // The entries from `taken` on wait; the array is emptied when all have been taken.
    private var entries: [Entry] = []
    private var taken = 0

    /// The turn of the job that comes next; ``noTurn`` if there is none.
    private(set) var nextTurn = JobQueue.noTurn

    /// Later than the turn of every request.
    static var noTurn: UInt64 { .max }

    mutating func append(_ job: any Job, turn: UInt64) {
        entries.append(Entry(turn: turn, job: QueuedJob(job)))
        nextTurn = entries[taken].turn
    }

    /// Takes the job that comes next. The caller frees it.
    mutating func takeFirst() -> QueuedJob? {
        guard taken < entries.count else { return nil }
        let job = entries[taken].job
        taken += 1
        if taken == entries.count {
            entries.removeAll(keepingCapacity: taken <= 1024)
            taken = 0
        } else if taken > 1024, taken > entries.count / 2 {
            entries.removeFirst(taken)
            taken = 0
        }
        nextTurn = taken < entries.count ? entries[taken].turn : Self.noTurn
        return job
    }
}
