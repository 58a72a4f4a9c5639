internal import Glibc
import Synchronization

/// References and closing.
extension BusRecord {
    package static func retain(_ handle: Handle) -> Status {
        do throws(CrosstieError) {
            return try withState(handle) { bus, state in
                guard !state.isClosing else { return .handle }
                guard bus.pointee.references < .max else { return .limit }
                bus.pointee.references += 1
                return .ok
            }
        } catch {
            return error.status
        }
    }

    /// Lets go of a reference; the last one closes the bus.
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
            guard let leaving = try beginClosing(handle, if: shallEnd) else { return .ok }
            tellDestroyed(leaving, on: handle)
            let ended = try withState(handle) { bus, state in
                for component in leaving { state.components[component.own]?.isLeaving = false }
                return bus.pointee.header.retire(handle.generation) ? bus : nil
            }
            return ended?.finish() ?? .ok
        } catch {
            return error.status
        }
    }

    /// From now on nobody but the caller closes the bus. Gives its components, which are to be told; nil if it shall
    /// not end.
    ///
    /// - Throws: *pending* inside a callback of a bus that is closing already, else *handle*.
    private static func beginClosing(
        _ handle: Handle, if shallEnd: (Pointer) -> Bool
    ) throws(CrosstieError) -> [LeavingComponent]? {
        let (bus, leaving) = try withState(handle) { bus, state throws(CrosstieError) in
            guard !state.isClosing else {
                throw CrosstieError(ThreadSlot.current.isInCallback ? .pending : .handle, "the bus is closing")
            }
            guard shallEnd(bus) else { return (bus, nil as [LeavingComponent]?) }
            state.isClosing = true
            return (bus, state.components.values.compactMap(LeavingComponent.init))
        }
        if leaving != nil { SharedBuses.forget(bus) }
        return leaving
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    fileprivate func finish() -> Status {
        Delay.point()
        guard ThreadSlot.current.isInCallback else {
            finishClosing()
            return .ok
        }
        finishClosingElsewhere()
        return .pending
    }

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
        let pools = Dispatchers(pointee.dispatchers.load(ordering: .acquiring))
        let workers = pools?.all ?? []
        for pool in workers { pool.endQueued() }
        Delay.point()
        BusRecord.endDetached(self)
        Delay.point()
        Registration.Pointer.endAll(takeRegistrations())
        for pool in workers { pool.join() }
        endLoop()
        for post in Post.allCases { _ = withLock { BusRecord.replace(post, of: self, with: 0) }?.end() }
        waitForLeaving()
        pointee.dispatchers.store(0, ordering: .releasing)
        ReadSide.waitForReaders()
        pools?.free()
        freeContents()
    }

    /// Every registration but those of the posts; after this none is found by its bus.
    private func takeRegistrations() -> [Registration.Pointer] {
        withLock {
            guard let state = pointee.state else { return [] }
            let indexes = Array(state.routes) + state.interceptors.map(\.registration) + Array(state.ruleHandlers.keys)
            let resolvers = performer?.pointee.registrations ?? []
            let registrations =
                (indexes + resolvers).compactMap(Registration.at) + takeComponents(state) + takeProviders()
                + (state.rules?.registrations ?? [])
            state.routes = []
            state.interceptors = []
            state.ruleHandlers = [:]
            state.rules = nil
            for registration in registrations { registration.leaveBus() }
            return registrations
        }
    }

    /// Those of the components, with the lock held. Whoever is removing one ends its registrations, and is waited for.
    private func takeComponents(_ state: BusState) -> [Registration.Pointer] {
        let components = Array(state.components.values)
        state.components = [:]
        state.componentNames = [:]
        for index in components.filter(\.isLeaving).flatMap(\.registrations) { Registration.at(index)?.leaveBus() }
        return components.filter { !$0.isLeaving }.flatMap(\.registrations).compactMap(Registration.at)
    }

    /// Those of the providers, with the lock held.
    private func takeProviders() -> [Registration.Pointer] {
        providers?.pointee.providers.flatMap(\.registrations) ?? []
    }

    /// Others may be ending registrations, or running what its own handler has removed.
    private func waitForLeaving() {
        while pointee.leaving.load(ordering: .acquiring) != 0 { Clock.sleep(nanoseconds: 20_000) }
    }

    private func freeContents() {
        let (state, space) = withLock {
            defer { (pointee.state, pointee.meters) = (nil, nil) }
            pointee.state?.children.reap()
            return (pointee.state, pointee.spaceAddress.exchange(0, ordering: .acquiringAndReleasing))
        }
        RouteSpace.Pointer(bitPattern: space)?.free()
        ActionTable(pointee.actions.exchange(0, ordering: .acquiringAndReleasing))?.free(isAdopted: false)
        OpenerGate.free(pointee.openerGate.exchange(0, ordering: .acquiringAndReleasing))
        PerformerSpace.Pointer(bitPattern: pointee.performer.exchange(0, ordering: .acquiringAndReleasing))?.free()
        ProviderSpace.Pointer(bitPattern: pointee.providers.exchange(0, ordering: .acquiringAndReleasing))?.free()
        Interceptors.free(pointee.interceptors.exchange(0, ordering: .acquiringAndReleasing))
        _ = state
        let record = UnsafeMutableRawPointer(self)
        ProcessState.lock.with { ProcessState.current.pointee.buses.give(record) }
    }
}
