internal import Glibc
import Synchronization

/// References and closing.
extension BusRecord {
    package static func retain(_ handle: Handle) -> Status {
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else { return resolved.status }
        bus.pointee.references.add(1, ordering: .relaxed)
        return .ok
    }

    /// Lets go of a reference; the last one closes the bus.
    package static func releaseBus(_ handle: Handle) -> Status {
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else { return resolved.status }
        let left = bus.pointee.references.subtract(1, ordering: .acquiringAndReleasing).newValue
        return left == 0 ? close(handle) : .ok
    }

    /// Closes a bus, at once or, inside a callback, on a thread of its own.
    package static func close(_ handle: Handle) -> Status {
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else { return resolved.status }
        let isOurs = bus.withLock { bus.pointee.header.retire(handle.generation) }
        guard isOurs else { return .handle }
        guard ThreadSlot.current.isInCallback else {
            bus.finishClosing()
            return .ok
        }
        bus.finishClosingElsewhere()
        return .pending
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    /// Inside a callback the closing would wait for that very callback. Where no thread can be had, the bus
    /// stays closed to everybody and its memory is given up.
    fileprivate func finishClosingElsewhere() {
        var thread = pthread_t()
        let failure = LibraryThread.start(&thread, self) { raw in
            raw?.assumingMemoryBound(to: BusRecord.self).finishClosing()
            return nil
        }
        if failure == 0 { pthread_detach(thread) }
    }

    /// Ends everything on a bus whose handle is dead.
    ///
    /// First whatever nobody runs: a handler may be waiting for just that, and its end is waited for here.
    fileprivate func finishClosing() {
        SharedBuses.forget(self)
        let workers = withLock { pointee.state }?.workers
        workers?.endQueued()
        BusRecord.endDetached(self)
        Registration.Pointer.endAll(takeRegistrations())
        workers?.join()
        _ = BusRecord.replaceLog(of: self, with: 0)
        freeContents()
    }

    /// Every registration but the log's; after this none is found by its bus.
    private func takeRegistrations() -> [Registration.Pointer] {
        withLock {
            guard let state = pointee.state else { return [] }
            let indexes = Array(state.routes) + state.interceptors.map(\.registration)
            state.routes = []
            state.interceptors = []
            let registrations = indexes.compactMap(Registration.at)
            for registration in registrations { registration.retireHandle() }
            return registrations
        }
    }

    private func freeContents() {
        let (state, table) = withLock {
            defer {
                pointee.state = nil
                pointee.routes = nil
            }
            return (pointee.state, pointee.routes)
        }
        table?.destroy()
        Interceptors.free(pointee.interceptors.exchange(0, ordering: .acquiringAndReleasing))
        _ = state
        let record = UnsafeMutableRawPointer(self)
        ProcessState.lock.with { ProcessState.current.pointee.buses.give(record) }
    }
}
