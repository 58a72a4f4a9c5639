/// A dispatcher of a bus, which may have closed since: where jobs run on workers.
package struct DispatcherPlace {
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
        let slot = ThreadSlot.current
        guard let block = RequestBlock.make(.call, on: slot, bus: record, handle: bus) else { return .outOfMemory }
        block.pointee.dispatcher = index
        block.pointee.deadline = Clock.never
        block.detour.job = job
        let status = block.queue()
        // Else it is its worker's to drop.
        if status != .ok { block.drop() }
        return status
    }
}
