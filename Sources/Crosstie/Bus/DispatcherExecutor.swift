/// A dispatcher of a bus, which may have closed since: where jobs run on workers.
package struct DispatcherExecutor {
    private let bus: Handle
    private let index: UInt8
    /// Empty for the default one.
    package let name: String

    /// - Parameter name: empty for the default one.
    /// - Throws: *notFound*; *invalidHandle* or *forked* (the bus).
    package init(of bus: Handle, named name: String) throws(CrosstieError) {
        self.bus = bus
        self.name = name
        index = try BusRecord.withState(bus) { _, state throws(CrosstieError) in try state.dispatcher(name) }
    }

    /// Queues a job. *closed* when there will never be a worker again; anything else than *ok* when there is none just
    /// now, or no room.
    package func add(_ job: any Job) -> Status {
        guard case .live(let record) = BusRecord.resolve(bus) else { return .closed }
        return Dispatchers.withPool(index, of: record, bus, else: .closed) { $0.submit(job) }
    }
}
