/// The jobs that wait for a worker, in their order.
struct JobQueue {
    private struct Entry {
        let turn: UInt64
        let job: QueuedJob
    }

    // The entries from `taken` on wait; the array is emptied when all have been taken.
    private var entries: [Entry] = []
    private var taken = 0

    /// The turn of the job that comes next.
    @inline(__always)
    var nextTurn: UInt64? { taken < entries.count ? entries[taken].turn : nil }

    mutating func append(_ job: any Job, turn: UInt64) { entries.append(Entry(turn: turn, job: QueuedJob(job))) }

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
        return job
    }
}
