internal import CPlatform
internal import Glibc
import Synchronization

/// One member of a group: its transport, its listeners and their thread. A ``Wormhole`` or a C handle owns it.
package final class WormholeCore: @unchecked Sendable {
    let transport: AnyTransport
    let table: ListenerTable
    let maximumValueSize: Int
    /// The group's.
    let sendDefaults: SendDefaults
    let log: WormholeLog?
    /// The time of a call in nanoseconds, if a host's own functions keep the messages; else nil.
    private let hostTimeout: UInt64?
    private let forkCount: UInt32
    private let monitor: Monitor
    /// Calls under way, the listening thread, and one until it is closed. The last one out closes the group.
    private let useCount = Atomic(1)
    private let isClosed = Atomic(false)
    /// Guarded by the monitor.
    private var thread: ListenerThread?
    private var ownLoop: LoopQueue?
    private var isOver = false

    package init(_ group: String, options: WormholeOptions) throws(CrosstieError) {
        var options = options
        if options.hostLog == nil { options.hostLog = options.log.map { WormholeLog($0) } }
        let log = options.hostLog
        // The log lines of opening, also of a failed one, delivered once its locks are free.
        defer { log?.flush() }
        let address = try ServerAddress.find(in: group)
        try options.check()
        try options.check(for: address)
        let name = Array((options.name ?? WormholeCore.programName).utf8)
        let transport = try WormholeCore.transport(of: group, address, name: name, options)
        self.transport = transport
        table = ListenerTable(transport)
        self.log = log
        hostTimeout = transport.hostTimeout
        maximumValueSize = options.maximumValueSize
        sendDefaults = transport.sendDefaults
        forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
        // Last: an initialiser that throws runs no deinit.
        monitor = Monitor()
    }

    deinit { monitor.free() }

    // MARK: Closing

    /// Removes the listeners, waits for running calls, ends the thread. Inside any callback, and if the host does not
    /// want this thread to wait, this continues without the caller: *pending*.
    package func close() -> Status {
        if isForked { return .forked }
        if isInsideItsTransport { return .deadlock }
        guard !isClosed.exchange(true, ordering: .sequentiallyConsistent) else { return .closed }
        transport.beginClosing()
        let waits = !ThreadSlot.current.isInCallback
        let thread = monitor.with { self.thread }
        thread?.stop()
        inTime {
            // A listener that still runs may take long.
            if removeAll() == .ok { transport.endBy(ThreadSlot.current.callDeadline) }
        }
        monitor.with { ownLoop }?.close()
        leave()
        let isEnded = waits && waitForEnd()
        thread?.end(waiting: isEnded)
        return isEnded ? .ok : .pending
    }

    /// The listening thread is about to end, if it has not ended. False if the host does not want this thread to wait.
    private func waitForEnd() -> Bool {
        monitor.with {
            while !isOver {
                guard monitor.waitWanted() else { return isOver }
            }
            return true
        }
    }

    /// Runs `body` unless the wormhole is closed, which it cannot be until `body` has returned.
    @inline(__always)
    func use<Result>(_ body: () throws(CrosstieError) -> Result) throws(CrosstieError) -> Result {
        if isForked { throw WormholeCore.forked }
        if isInsideItsTransport { throw WormholeCore.deadlock }
        guard enter() else { throw WormholeCore.closed }
        let outer = hostTimeout.map(HostCalls.begin)
        defer {
            if let outer { HostCalls.end(outer) }
            if let log, log.hasLines { log.flush() }
            leave()
        }
        return try body()
    }

    /// The same where it is no failure that the wormhole is closed; nil then.
    func useIfOpen<Result>(_ body: () -> Result) -> Result? {
        guard !isForked, enter() else { return nil }
        defer { leave() }
        return body()
    }

    /// Runs `body` with the deadline of a call. It must not call a listener.
    func inTime<Result>(_ body: () -> Result) -> Result {
        let outer = hostTimeout.map(HostCalls.begin)
        defer { if let outer { HostCalls.end(outer) } }
        return body()
    }

    /// Counts a use. False when it is closed, and from then on for ever.
    @inline(__always)
    private func enter() -> Bool {
        var count = useCount.load(ordering: .relaxed)
        while count > 0, !isClosed.load(ordering: .relaxed) {
            let (done, seen) = useCount.weakCompareExchange(
                expected: count, desired: count &+ 1, ordering: .acquiring)
            if done { return true }
            count = seen
        }
        return false
    }

    /// Whether this thread is inside a function of a transport or an engine, which nothing may call that could call it
    /// again.
    package var isInsideItsTransport: Bool { hostTimeout != nil && ThreadSlot.current.isInTransport }

    private static var deadlock: CrosstieError {
        CrosstieError(.deadlock, "a function of a transport or an engine calls a wormhole that has one")
    }

    private static var forked: CrosstieError {
        CrosstieError(.forked, "the wormhole was opened before a fork of this process")
    }

    private static var closed: CrosstieError { CrosstieError(.closed, "the wormhole is closed") }

    /// Starts the listening thread if there is none yet. The wormhole is in use.
    func startListening() throws(CrosstieError) {
        try monitor.with { () throws(CrosstieError) in
            if isClosed.load(ordering: .sequentiallyConsistent) { throw WormholeCore.closed }
            guard thread == nil else { return }
            useCount.add(1, ordering: .relaxed)
            let fresh = ListenerThread(transport, table, log) { [self] in leave() }
            do throws(CrosstieError) {
                try fresh.start()
            } catch {
                useCount.subtract(1, ordering: .relaxed)
                throw error
            }
            thread = fresh
        }
    }

    /// The wormhole's own loop, created on first use.
    package func loop() throws(CrosstieError) -> LoopQueue {
        if isForked { throw WormholeCore.forked }
        return try monitor.with { () throws(CrosstieError) in
            if isClosed.load(ordering: .sequentiallyConsistent) { throw WormholeCore.closed }
            if let ownLoop { return ownLoop }
            let fresh = try LoopQueue(isOwned: true)
            ownLoop = fresh
            return fresh
        }
    }

    @inline(__always)
    private func leave() {
        if useCount.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { finish() }
    }

    private func finish() {
        // Those that were bound while it was being closed.
        _ = removeAll()
        transport.close()
        log?.flush()
        log?.end()
        monitor.with {
            isOver = true
            // It holds this object, to report its end.
            thread = nil
            monitor.notifyAll()
        }
    }

    @inline(__always)
    var isForked: Bool {
        forkCount != ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    }

    // MARK: Opening

    /// As much of the program's name as a sender's may have, in whole characters.
    private static var programName: String {
        var name = String(cString: cp_program_name())
        while name.utf8.count > Wakeups.maximumNameSize { name.removeLast() }
        return name
    }

    /// The bytes of a name or an address that tell whether it is too long.
    package static var maximumGroupSize: Int { ServerAddress.maximumSize + 1 }

    static func checkGroup(_ group: String) throws(CrosstieError) {
        try Array(group.utf8).withBytes { bytes throws(CrosstieError) in
            guard Identifier(bytes) == nil else { return }
            // It could be an address with a mistake, and hold a password.
            guard !bytes.contains(UInt8(ascii: "@")) else {
                throw CrosstieError(.invalidIdentifier, "a group's name has no @; an address begins with nats://")
            }
            throw .malformedIdentifier(bytes)
        }
    }

    private static func transport(
        of group: String, _ address: ServerAddress?, name: [UInt8], _ options: WormholeOptions
    ) throws(CrosstieError) -> AnyTransport {
        if let address {
            if let warning = address.warning(options.server) { options.hostLog?.write(.warning, warning) }
            let engine = try HostEngine.make(address, options)
            return .engine(try EngineTransport(engine, of: address.group, name: name, options))
        }
        try checkGroup(group)
        if let engine = options.engine {
            return .engine(try EngineTransport(engine, of: group, name: name, options))
        }
        return .records(try RecordTransport(try location(of: group, options), name: name, options: options))
    }

    private static func location(of group: String, _ options: WormholeOptions) throws(CrosstieError) -> GroupLocation {
        if let transport = options.transport { return .host(transport) }
        if options.isInMemory { return .memory(options.directory.map { "directory \($0)" } ?? group) }
        let directory = try openDirectory(of: group, options)
        if !options.allowsAnyFileSystem { try directory.value.requireSharedMemory() }
        return .directory(directory)
    }

    static func openDirectory(
        of group: String, _ options: WormholeOptions
    ) throws(CrosstieError) -> OpenDirectory {
        guard let path = options.directory else {
            return OpenDirectory(
                try GroupDirectory(group: group, options.durability, mustExist: options.mustExist))
        }
        return OpenDirectory(try GroupDirectory(path: path, options.durability, mustExist: options.mustExist))
    }
}
