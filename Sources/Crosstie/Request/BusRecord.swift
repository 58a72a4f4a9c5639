internal import Glibc
import Synchronization

/// The record of a bus, which its handle leads to: what every request reads, and the cold rest behind a lock.
///
/// It is on the floor of requests, which read it all the time. Its operations are in the folder Bus.
package struct BusRecord: ~Copyable {
    // The fields that every open reads.
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
    package let callbackSlots: CallbackSlots
    /// The meters of the requests, on a bus that counts. Constant while the bus lives.
    package var meters: BusMeters?
    /// The address of the ``SystemOpenerGate``; 0 for that of the default policy.
    package let systemOpenerGate: Atomic<UInt>
    /// The address of the ``Dispatchers``.
    let dispatchers: Atomic<UInt>
    /// Whether there are others than the default one.
    let hasNamedDispatchers: Atomic<Bool>
    /// Whether an action was ever registered that does not block, or calls may go to peers.
    let mayCallAtOnce: Atomic<Bool>
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
    var mutex: UnsafeMutablePointer<pthread_mutex_t>?
    /// The ``BusState``: everything else. Only with the lock.
    var stateObject: AnyObject?
    /// Requests that wait for somebody to end them. Only with the lock.
    package var detached: RequestBlock.Pointer?
    private let behind: CacheLine

    package typealias Pointer = UnsafeMutablePointer<BusRecord>

    /// The record of a live bus's handle.
    @inline(__always)
    package static func resolve(_ handle: Handle) -> Resolved<BusRecord> {
        ProcessState.current.pointee.buses.resolve(handle, .bus, as: BusRecord.self)
    }

    var lock: Lock? { mutex.map(Lock.init) }

    /// The routes that URLs are matched against. Read it inside a read section, or with the lock.
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
