internal import CPlatform
internal import Glibc
import Synchronization

extension BusRecord {
    /// Makes a bus with one reference, without static components.
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
        bus.pointee.meters = options.keepsStats ? BusMeters() : nil
        bus.pointee.interceptors.store(Interceptors.none(isMeasured: options.keepsStats), ordering: .relaxed)
        bus.pointee.actions.store(0, ordering: .relaxed)
        _ = cp_random_bytes(&bus.pointee.actionSeed, MemoryLayout<UInt64>.size)
        bus.pointee.leaving.store(0, ordering: .relaxed)
        bus.pointee.hasNamedDispatchers.store(false, ordering: .relaxed)
        bus.pointee.mayCallAtOnce.store(false, ordering: .relaxed)
        bus.pointee.references = 1
        bus.pointee.header.publish()
        let handle = bus.handle
        let pools = Dispatchers()
        pools.set(0, to: WorkerPool.make(options.dispatcher, of: bus, handle, index: 0))
        bus.pointee.dispatchers.store(pools.address, ordering: .releasing)
        return handle
    }
}
