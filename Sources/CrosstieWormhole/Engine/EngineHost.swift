import Synchronization

/// A wormhole as its engine sees it: the bindings that it delivers to. Threads of the engine call it, at any time between
/// opening and closing.
final class EngineHost: @unchecked Sendable {
    let engine: HostEngine
    let wakeup = EngineWakeup()
    let log: EngineLog
    /// The most messages that a binding has without its listener.
    let window: Int
    private let lock = Lock()
    /// In the order of their numbers. With the lock held.
    private var inboxes: [EngineInbox] = []
    /// By their numbers. With the lock held.
    private var joins: [UInt64: any EnginePeers] = [:]
    private let lastNumber = Atomic<UInt64>(0)
    private let members = Atomic<UInt64>(0)
    /// With the lock held.
    private var lastConnection: Wormhole.Connection?
    private let connections = Atomic<UInt64>(0)
    private let forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)

    /// Messages at once, at most.
    static var maximumCount: Int { 65_536 }

    init(_ engine: HostEngine, _ options: WormholeOptions) {
        self.engine = engine
        log = EngineLog(options.hostLog)
        // A slow listener has 32 MiB of values at most, or one.
        window = max(min((32 << 20) / options.maximumValueSize, 256), 1)
    }

    deinit { lock.free() }

    // MARK: Bindings

    /// Of a binding or a join.
    func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

    func add(_ inbox: EngineInbox) {
        lock.with { inboxes.insert(inbox, at: index(notBefore: inbox.number)) }
    }

    func remove(_ inbox: EngineInbox) {
        lock.with {
            let index = index(notBefore: inbox.number)
            if index < inboxes.count, inboxes[index] === inbox { inboxes.remove(at: index) }
        }
    }

    func inbox(_ number: UInt64) -> EngineInbox? {
        lock.with {
            let index = index(notBefore: number)
            return index < inboxes.count && inboxes[index].number == number ? inboxes[index] : nil
        }
    }

    private func index(notBefore number: UInt64) -> Int {
        var (low, high) = (0, inboxes.count)
        while low < high {
            let middle = (low + high) / 2
            if inboxes[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func withJoins<Result>(_ body: (inout [UInt64: any EnginePeers]) -> Result) -> Result {
        lock.with { body(&joins) }
    }

    /// Ends a binding, which has been removed here. A failure of the engine is only logged.
    func unbind(_ inbox: EngineInbox) {
        if inbox.repeatedCount > 0 {
            log.write(.info, "the engine has delivered \(inbox.repeatedCount) messages more than once")
        }
        do throws(CrosstieError) {
            try engine.unbind(inbox.number)
        } catch {
            log.write(.warning, error.message)
        }
    }

    var membersVersion: UInt64 { members.load(ordering: .sequentiallyConsistent) }

    /// The number of changes of the connection.
    var connectionVersion: UInt64 { connections.load(ordering: .sequentiallyConsistent) }

    // MARK: Threads of the engine

    /// The connection to the server, nil if the engine has told of none, and the number of its changes.
    var connection: (connection: Wormhole.Connection?, version: UInt64) {
        lock.with { (lastConnection, connectionVersion) }
    }

    func setConnection(_ now: Wormhole.Connection) {
        lock.with {
            guard now != lastConnection else { return }
            lastConnection = now
            connections.add(1, ordering: .sequentiallyConsistent)
        }
        wakeup.nudge()
    }

    var isForked: Bool { forkCount != ProcessState.current.pointee.forkCount.load(ordering: .relaxed) }

    func noteMembers() {
        members.add(1, ordering: .sequentiallyConsistent)
        wakeup.nudge()
    }

    /// Writes a line of the engine, and has a thread that holds no lock deliver it.
    func write(_ level: LogLevel, _ line: String) {
        log.write(level, line)
        wakeup.nudge()
    }
}
