internal import CPlatform
internal import Glibc
import Synchronization

/// A bus as its handle finds it: what opening a URL reads, and the cold rest behind a lock.
package struct BusRecord: ~Copyable {
    // What every open reads.
    package let header: RecordHeader
    /// The word of ``Interceptors``.
    package let interceptors: Atomic<UInt>
    /// The address of the ``RouteSpace``; 0 for a bus that has closed.
    package let spaceAddress: Atomic<UInt>
    /// The address of the ``ActionTable``; 0 while there are no components.
    package let actions: Atomic<UInt>
    package var actionSeed: UInt64
    /// Whether opens that name no mode look for the nearest route.
    package var isNearest: Bool
    package let posts: Posts
    /// What counts and times the requests, on a bus that does. It is constant while the bus lives.
    package var meters: BusMeters?
    /// The address of the ``OpenerGate``; 0 for that of the default policy.
    package let openerGate: Atomic<UInt>
    /// The address of the ``Dispatchers``.
    let dispatchers: Atomic<UInt>
    /// Whether there are others than the default one.
    let hasNamedDispatchers: Atomic<Bool>
    /// The address of the ``PerformerSpace``; 0 before anything is allowed.
    let performer: Atomic<UInt>
    /// The address of the ``ProviderSpace``; 0 before there is a provider.
    let providers: Atomic<UInt>
    private let apart: CacheLine

    /// Registrations that have been taken off the bus and are not destroyed yet. It grows only with the lock.
    package let leaving: Atomic<UInt32>
    /// Only with the lock.
    package var references: UInt32
    /// Made once for the record and kept from bus to bus.
    private var mutex: UnsafeMutablePointer<pthread_mutex_t>?
    /// Everything else. Only with the lock.
    package var state: BusState?
    /// Requests that wait for somebody to end them. Only with the lock.
    package var detached: RequestBlock.Pointer?
    private let behind: CacheLine

    package typealias Pointer = UnsafeMutablePointer<BusRecord>

    /// The record of a live bus's handle.
    @inline(__always)
    package static func resolve(_ handle: Handle) -> Resolved<BusRecord> {
        ProcessState.current.pointee.buses.resolve(handle, .bus, as: BusRecord.self)
    }

    /// Makes a bus with one reference.
    package static func make(_ options: BusOptions) throws(CrosstieError) -> Handle {
        ProcessState.prepare()
        let raw = ProcessState.lock.with {
            ProcessState.current.pointee.buses.take(stride: MemoryLayout<BusRecord>.stride)
        }
        guard let bus = raw?.assumingMemoryBound(to: BusRecord.self) else {
            throw CrosstieError(.outOfMemory, "no room for another bus")
        }
        // A record that is used again after a fork may have its mutex held by a thread that is not here.
        if bus.pointee.mutex == nil || bus.pointee.header.isFromBeforeFork { bus.pointee.mutex = Lock().raw }
        guard let routes = RouteTable.create() else {
            ProcessState.lock.with { ProcessState.current.pointee.buses.give(UnsafeMutableRawPointer(bus)) }
            throw CrosstieError(.outOfMemory, "no memory for a route table")
        }
        bus.pointee.spaceAddress.store(
            UInt(bitPattern: RouteSpace.make(routes, defaultScheme: options.defaultScheme)), ordering: .relaxed)
        bus.pointee.isNearest = options.matchMode == .nearest
        bus.pointee.state = BusState(options)
        bus.pointee.meters = options.countsTime ? BusMeters() : nil
        bus.pointee.interceptors.store(Interceptors.none(isMeasured: options.countsTime), ordering: .relaxed)
        bus.pointee.actions.store(0, ordering: .relaxed)
        _ = cp_random_bytes(&bus.pointee.actionSeed, MemoryLayout<UInt64>.size)
        bus.pointee.leaving.store(0, ordering: .relaxed)
        bus.pointee.hasNamedDispatchers.store(false, ordering: .relaxed)
        bus.pointee.references = 1
        bus.pointee.header.publish()
        let handle = bus.handle
        let pools = Dispatchers()
        pools.set(0, to: WorkerPool.make(options.dispatcher, of: bus, handle, index: 0))
        bus.pointee.dispatchers.store(pools.address, ordering: .releasing)
        if options.hasStaticComponents { StaticComponents.give(to: handle) }
        return handle
    }

    fileprivate var lock: Lock? { mutex.map(Lock.init) }

    /// What opens are matched against. Read it inside a read section, or with the lock.
    @inline(__always)
    package var space: RouteSpace.Pointer? {
        RouteSpace.Pointer(bitPattern: spaceAddress.load(ordering: .acquiring))
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    package var handle: Handle { pointee.header.handle(.bus) }

    /// Runs `body` with the record's lock held. No host code may run inside.
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard let lock = pointee.lock else { return try body() }
        return try lock.with(body)
    }
}

extension BusRecord {
    /// Runs `body` on a live bus's cold state, with its lock held.
    package static func withState<Result>(
        _ handle: Handle, _ body: (Pointer, BusState) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else {
            throw CrosstieError(resolved.status, "invalid or released bus handle")
        }
        return try bus.withLock { () throws(CrosstieError) -> Result in
            guard bus.handle == handle, let state = bus.pointee.state else {
                throw CrosstieError(.invalidHandle, "the bus has been closed")
            }
            return try body(bus, state)
        }
    }
}

/// Requests that a synchronous caller waits for. Closing the bus ends them.
extension BusRecord {
    /// Lists a request. False when its bus has closed.
    package static func detach(_ block: RequestBlock.Pointer) -> Bool {
        let bus = block.pointee.bus
        return bus.withLock {
            guard block.isBusLive else { return false }
            if block.pointee.isListed { return true }
            block.pointee.isListed = true
            block.pointee.liveBackLink = nil
            block.pointee.liveLink = bus.pointee.detached
            bus.pointee.detached?.pointee.liveBackLink = block
            bus.pointee.detached = block
            return true
        }
    }

    package static func forgetDetached(_ block: RequestBlock.Pointer) {
        let bus = block.pointee.bus
        bus.withLock { unlist(block, bus) }
    }

    /// Takes a request off the list, with the lock held.
    private static func unlist(_ block: RequestBlock.Pointer, _ bus: Pointer) {
        guard block.pointee.isListed else { return }
        block.pointee.isListed = false
        block.pointee.liveLink?.pointee.liveBackLink = block.pointee.liveBackLink
        if let before = block.pointee.liveBackLink {
            before.pointee.liveLink = block.pointee.liveLink
        } else {
            bus.pointee.detached = block.pointee.liveLink
        }
        block.pointee.liveLink = nil
        block.pointee.liveBackLink = nil
    }

    /// Ends every listed request; for a bus that is closing.
    static func endDetached(_ bus: Pointer) {
        while true {
            let next = bus.withLock { () -> RequestBlock.Pointer? in
                guard let block = bus.pointee.detached else { return nil }
                unlist(block, bus)
                block.pointee.references.add()
                return block
            }
            guard let next else { return }
            Delay.point()
            next.end(.closed)
            next.drop()
        }
    }
}
