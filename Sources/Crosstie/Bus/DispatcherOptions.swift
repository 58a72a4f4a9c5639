/// The options of a dispatcher.
public struct DispatcherOptions: Sendable {
    /// Threads at most, 1 to 1,024.
    public var maximumWorkers: Int
    /// Requests that may wait, 1 to 1,048,576.
    public var maximumQueued: Int

    public init(maximumWorkers: Int = 64, maximumQueued: Int = 65_536) {
        self.maximumWorkers = maximumWorkers
        self.maximumQueued = maximumQueued
    }

    package func check() throws(CrosstieError) {
        guard (1...1024).contains(maximumWorkers) else {
            throw CrosstieError(.invalidArgument, "a dispatcher has 1 to 1,024 workers", at: "max_workers")
        }
        guard (1...1_048_576).contains(maximumQueued) else {
            throw CrosstieError(.invalidArgument, "a dispatcher queues 1 to 1,048,576 requests", at: "max_queued")
        }
    }
}
