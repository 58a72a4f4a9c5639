internal import Glibc
import Synchronization

/// References and closing.
extension BusRecord {
    package static func retain(_ handle: Handle) -> Status {
        do throws(CrosstieError) {
            return try withState(handle) { bus, state in
                guard !state.isClosing else { return .invalidHandle }
                guard bus.pointee.references < .max else { return .limitExceeded }
                bus.pointee.references += 1
                return .ok
            }
        } catch {
            return error.status
        }
    }

    /// Drops a reference; the last one closes the bus.
    package static func releaseBus(_ handle: Handle) -> Status {
        end(handle) { bus in
            // A live bus that is not closing has one reference or more.
            bus.pointee.references -= 1
            return bus.pointee.references == 0
        }
    }

    /// Closes a bus, at once or, inside a callback, on a thread of its own.
    package static func close(_ handle: Handle) -> Status {
        end(handle) { _ in true }
    }

    private static func end(_ handle: Handle, if shallEnd: (Pointer) -> Bool) -> Status {
        do throws(CrosstieError) {
            guard let parts = try beginClosing(handle, if: shallEnd) else { return .ok }
            for part in parts { part.announceClosing(of: handle) }
            let ended = try withState(handle) { bus, state in
                for part in parts { part.finishAnnouncing() }
                return bus.pointee.header.retire(handle.generation) ? bus : nil
            }
            return ended?.finish() ?? .ok
        } catch {
            return error.status
        }
    }

    /// Makes the caller the one that closes the bus. Returns its parts, which are to be notified; nil if it must not end.
    ///
    /// - Throws: *pending* inside a callback of a bus that is closing already, else *invalidHandle*.
    private static func beginClosing(
        _ handle: Handle, if shallEnd: (Pointer) -> Bool
    ) throws(CrosstieError) -> [BusPart]? {
        let (bus, parts) = try withState(handle) { bus, state throws(CrosstieError) in
            guard !state.isClosing else {
                throw CrosstieError(ThreadSlot.current.isInCallback ? .pending : .invalidHandle, "the bus is closing")
            }
            guard shallEnd(bus) else { return (bus, nil as [BusPart]?) }
            state.isClosing = true
            for part in state.parts { part.prepareToClose() }
            return (bus, state.parts)
        }
        if parts != nil { SharedBuses.forget(bus) }
        return parts
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    fileprivate func finish() -> Status {
        SchedulePoint.pass()
        if ThreadSlot.current.isInCallback {
            // Here the closing would wait for that very callback.
            onThread { raw in
                raw?.assumingMemoryBound(to: BusRecord.self).finishClosing()
                return nil
            }
            return .pending
        }
        return finishClosing()
    }

    /// Has a thread of its own close the bus. Where none can be had, the bus stays closed to everybody and its memory is
    /// given up.
    private func onThread(_ close: LibraryThread.Main) {
        var thread = pthread_t()
        if LibraryThread.start(&thread, self, close) == 0 { pthread_detach(thread) }
    }

    /// Ends everything on a bus whose handle is dead; *pending* where the host does not want this thread to wait for it.
    ///
    /// First whatever nobody runs: a handler may be waiting for just that, and its end is waited for here.
    @discardableResult
    fileprivate func finishClosing() -> Status {
        for pool in pools { pool.endQueued() }
        SchedulePoint.pass()
        BusRecord.endDetached(self)
        SchedulePoint.pass()
        if RegistrationRecord.Pointer.endAll(takeRegistrations()) == .ok, endRest() { return .ok }
        onThread { raw in
            _ = raw?.assumingMemoryBound(to: BusRecord.self).endRest()
            return nil
        }
        return .pending
    }

    private var pools: [WorkerPool.Pointer] { Dispatchers(pointee.dispatchers.load(ordering: .acquiring))?.all ?? [] }

    /// Ends the rest of the bus, once every registration is ended or about to. False when the host does not want this
    /// thread to wait; then another one starts from the beginning.
    fileprivate func endRest() -> Bool {
        for pool in pools {
            guard pool.join() else { return false }
        }
        for pool in pools {
            guard pool.waitForCompletions() else { return false }
        }
        endLoop()
        for slot in CallbackSlot.allCases { _ = withLock { BusRecord.replace(slot, of: self, with: 0) }?.end() }
        guard waitForLeaving() else { return false }
        let dispatchers = Dispatchers(pointee.dispatchers.exchange(0, ordering: .acquiringAndReleasing))
        ReadSide.waitForReaders()
        dispatchers?.free()
        freeContents()
        return true
    }

    /// Takes every registration but those of the callback slots; after this none is found by its bus.
    private func takeRegistrations() -> [RegistrationRecord.Pointer] {
        withLock {
            guard let state = pointee.state else { return [] }
            let handlers = state.ruleHandlers.registrations.values.filter { !state.routes.contains($0) }
            let indexes = Array(state.routes) + state.interceptors.map(\.registration) + handlers
            let registrations =
                indexes.compactMap(RegistrationRecord.at) + state.parts.flatMap { $0.takeRegistrations(from: self) }
                + (state.rules?.registrations ?? [])
            state.routes = []
            state.interceptors = []
            state.ruleHandlers = RuleHandlers()
            state.rules = nil
            for registration in registrations { registration.leaveBus() }
            return registrations
        }
    }

    /// Others may be ending registrations, or running what its own handler has removed.
    private func waitForLeaving() -> Bool {
        var wait = NappingWait()
        while pointee.leaving.load(ordering: .acquiring) != 0 {
            guard wait.nap() else { return false }
        }
        return true
    }

    private func freeContents() {
        let (state, space) = withLock {
            defer { (pointee.state, pointee.meters) = (nil, nil) }
            pointee.state?.children.reap()
            return (pointee.state, pointee.spaceAddress.exchange(0, ordering: .acquiringAndReleasing))
        }
        RouteSpace.Pointer(bitPattern: space)?.free()
        for part in state?.parts ?? [] { part.free(self) }
        Interceptors.free(pointee.interceptors.exchange(0, ordering: .acquiringAndReleasing))
        let record = UnsafeMutableRawPointer(self)
        ProcessState.lock.with { ProcessState.current.pointee.buses.give(record) }
    }
}
