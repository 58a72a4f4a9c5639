import Synchronization

/// Keeps this process's transactions apart from a change of the map that they read and write.
///
/// Readers count themselves in and out. The writer, of which the writers' lock allows one, stores a flag. The thread
/// that changes the map waits for all of them. That wait is short: no transaction is open while a host's code runs.
struct MapGate: ~Copyable {
    private let readerCount = Atomic(0)
    private let isWriting = Atomic(false)
    private let isClosed = Atomic(false)
    /// The map could not be recreated: the gate stays closed.
    private let isLost = Atomic(false)
    /// Held while it is closed.
    private let lock = Lock()

    private static var patience: UInt64 { 5_000_000_000 }

    func free() { lock.free() }

    // MARK: Transactions

    @inline(__always)
    func enterReading() throws(CrosstieError) {
        readerCount.add(1, ordering: .sequentiallyConsistent)
        if isClosed.load(ordering: .sequentiallyConsistent) { try awaitReading() }
    }

    @inline(__always)
    func leaveReading() { readerCount.subtract(1, ordering: .releasing) }

    /// The writers' lock is held.
    @inline(__always)
    func enterWriting() throws(CrosstieError) {
        isWriting.store(true, ordering: .relaxed)
        // The closing thread pays for the readers' fence.
        ReadSide.fence()
        if isClosed.load(ordering: .acquiring) { try awaitWriting() }
    }

    @inline(__always)
    func leaveWriting() { isWriting.store(false, ordering: .releasing) }

    @inline(never)
    private func awaitReading() throws(CrosstieError) {
        repeat {
            leaveReading()
            try awaitOpening()
            readerCount.add(1, ordering: .sequentiallyConsistent)
        } while isClosed.load(ordering: .sequentiallyConsistent)
    }

    @inline(never)
    private func awaitWriting() throws(CrosstieError) {
        repeat {
            leaveWriting()
            try awaitOpening()
            isWriting.store(true, ordering: .relaxed)
            ReadSide.fence()
        } while isClosed.load(ordering: .acquiring)
    }

    private func awaitOpening() throws(CrosstieError) {
        lock.lock()
        defer { lock.unlock() }
        try requireMap()
    }

    var hasMap: Bool { !isLost.load(ordering: .relaxed) }

    private func requireMap() throws(CrosstieError) {
        if !hasMap { throw CrosstieError(.outOfMemory, "the store could not be mapped again") }
    }

    // MARK: The map

    /// Runs `body` while this process has no transaction. None of this thread is open.
    func whileClosed(_ body: () throws(CrosstieError) -> Void) throws(CrosstieError) {
        lock.lock()
        defer { lock.unlock() }
        try requireMap()
        isClosed.store(true, ordering: .sequentiallyConsistent)
        defer { if !isLost.load(ordering: .relaxed) { isClosed.store(false, ordering: .releasing) } }
        ReadSide.barrier()
        let end = Clock.now() &+ MapGate.patience
        while readerCount.load(ordering: .acquiring) != 0 || isWriting.load(ordering: .acquiring) {
            guard Clock.now() < end else { throw .late("the store has been read", MapGate.patience) }
            Clock.sleep(nanoseconds: 20_000)
        }
        try body()
    }

    /// Keeps it closed for ever. It is closed.
    func lose() { isLost.store(true, ordering: .relaxed) }
}
