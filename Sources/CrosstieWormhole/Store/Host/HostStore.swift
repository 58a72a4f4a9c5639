/// Records that a host's own transport keeps. Other processes may change them at any time: a transaction that finds
/// them changed throws `conflict`, and the step is done again.
final class HostStore: RecordStore {
    private let transport: HostTransport
    let steps = HostSteps()

    init(_ transport: HostTransport) { self.transport = transport }

    func beginReading() throws(CrosstieError) -> any RecordTransaction {
        let deadline = transport.deadline
        return HostTransaction(transport, version: try transport.version(until: deadline), deadline: deadline)
    }

    func beginWriting() throws(CrosstieError) -> any RecordTransaction {
        let deadline = transport.deadline
        let transaction = HostTransaction(
            transport, version: try transport.version(until: deadline), deadline: deadline, steps: steps)
        try transaction.resolveOpenSteps()
        return transaction
    }

    /// The transport itself reports that it is full.
    func requireRoom(for size: Int) throws(CrosstieError) {}

    func clearDeadReaders() {}

    func sync() throws(CrosstieError) {}

    func close() { transport.destroy() }
}
