/// A job that waits for a worker or is in a worker's hand: a strong reference in plain memory, which the queue and the
/// workers pass on without counting references.
struct QueuedJob {
    private let storage: UnsafeMutablePointer<any Job>

    init(_ job: any Job) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: job)
    }

    var job: any Job { storage.pointee }

    /// Releases the job. Exactly once.
    func free() {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }
}
