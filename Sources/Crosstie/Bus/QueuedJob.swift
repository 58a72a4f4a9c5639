/// A job that waits for a worker or is in a worker's hand: a strong reference in plain memory, which the queue and the
/// workers pass on without counting references.
struct QueuedJob {
    private let place: UnsafeMutablePointer<any Job>

    init(_ job: any Job) {
        place = .allocate(capacity: 1)
        place.initialize(to: job)
    }

    var job: any Job { place.pointee }

    /// Releases the job. Exactly once.
    func free() {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}
