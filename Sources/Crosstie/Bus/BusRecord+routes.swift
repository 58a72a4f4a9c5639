import Synchronization

/// Registering and removing routes.
extension BusRecord {
    /// How many routes a bus may have.
    package static var maximumRoutes: Int { 1_000_000 }

    /// Registers a route. The content's context is destroyed if this fails.
    package static func addRoute(
        _ handle: Handle, pattern text: UnsafeRawBufferPointer, remark: UnsafeRawBufferPointer, replacing: Bool,
        _ content: RegistrationContent
    ) throws(CrosstieError) -> Handle {
        do throws(CrosstieError) {
            let added = try withState(handle) { bus, state throws(CrosstieError) in
                try insert(bus, state, text, remark, replacing, content)
            }
            if let replaced = added.replaced { _ = replaced.end() }
            return added.registration
        } catch {
            content.context.destroy()
            throw error
        }
    }

    /// With the lock held.
    private static func insert(
        _ bus: Pointer, _ state: BusState, _ text: UnsafeRawBufferPointer, _ remark: UnsafeRawBufferPointer,
        _ replacing: Bool, _ content: RegistrationContent
    ) throws(CrosstieError) -> (registration: Handle, replaced: Registration.Pointer?) {
        let pattern = try state.pattern(text)
        guard state.routes.count < maximumRoutes, let table = bus.pointee.routes else {
            throw CrosstieError(.limit, "a bus has at most \(maximumRoutes) routes")
        }
        var content = content
        content.pattern = PatternInfo(pattern, text: text, remark: remark)
        guard let registration = Registration.make(content, on: bus) else {
            content.pattern?.release()
            throw CrosstieError(.noMemory, "no room for another registration")
        }
        do throws(CrosstieError) {
            let index = registration.pointee.header.index
            let outcome = try table.insert(pattern, value: index, replacing: replacing, grace: ReadSide.waitForReaders)
            let replaced = try state.settle(outcome, pattern)
            state.routes.insert(index)
            return (registration.pointee.header.handle(.registration), replaced)
        } catch {
            registration.discard()
            throw error
        }
    }

    /// Removes the route of a pattern's shape.
    package static func removeRoute(_ handle: Handle, pattern text: UnsafeRawBufferPointer) throws(CrosstieError)
        -> Status
    {
        let removed = try withState(handle) { bus, state throws(CrosstieError) in
            let pattern = try state.pattern(text)
            guard let index = bus.pointee.routes?.remove(pattern), let registration = Registration.at(index) else {
                throw CrosstieError(.notFound, "no route has the shape of \(pattern.description)")
            }
            state.routes.remove(index)
            registration.leaveBus()
            return registration
        }
        return removed.end()
    }

    /// Removes what a registration's handle stands for.
    package static func release(_ handle: Handle) -> Status {
        let resolved = ProcessState.current.pointee.registrations.resolve(handle, .registration, as: Registration.self)
        guard case .live(let registration) = resolved else { return resolved.status }
        let bus = registration.pointee.bus
        let isOurs = bus.withLock {
            // The handle's life decides who removes it: this caller, another one, or the bus's closing.
            guard let state = bus.pointee.state,
                registration.pointee.header.generation.load(ordering: .relaxed) == handle.generation
            else { return false }
            registration.leaveBus()
            if state.routes.remove(handle.index) != nil {
                state.unlink(registration, bus)
            } else {
                unlistInterceptor(handle.index, bus, state)
            }
            return true
        }
        return isOurs ? registration.end() : .handle
    }

    /// The routes of a bus, in the byte order of their patterns.
    package static func listRoutes(_ handle: Handle) throws(CrosstieError) -> [Route] {
        try withState(handle) { _, state in state.routes.compactMap { Registration.at($0)?.route } }
            .sorted { $0.pattern.utf8.lexicographicallyPrecedes($1.pattern.utf8) }
    }
}

extension BusState {
    /// A pattern's text, read with this bus's default scheme.
    func pattern(_ text: UnsafeRawBufferPointer) throws(CrosstieError) -> Pattern {
        try Pattern(text, orUnder: defaultScheme)
    }

    /// Takes a route out of its bus's table. Its pattern is read again, for it is not kept: a registration
    /// holds the text alone.
    fileprivate func unlink(_ registration: Registration.Pointer, _ bus: BusRecord.Pointer) {
        guard let info = registration.pointee.pattern, let pattern = try? pattern(info.text) else { return }
        bus.pointee.routes?.remove(pattern)
    }

    /// The registration that an insertion put out of its place, its handle dead; throws for a conflict.
    fileprivate func settle(
        _ outcome: RouteTable.InsertResult, _ pattern: Pattern
    ) throws(CrosstieError) -> Registration.Pointer? {
        switch outcome {
        case .inserted:
            return nil
        case .conflict(let index):
            let other = Registration.at(index)?.route?.pattern ?? ""
            throw CrosstieError(.conflict, "\(pattern.description) has the shape of the route \(other)")
        case .replaced(let index):
            routes.remove(index)
            let replaced = Registration.at(index)
            replaced?.leaveBus()
            return replaced
        }
    }
}

extension UnsafeMutablePointer where Pointee == Registration {
    /// Ends the handle of a registration that is taken off its bus, with the bus's lock held. The bus does not finish
    /// closing before it is destroyed.
    func leaveBus() {
        retireHandle()
        pointee.bus.pointee.leaving.wrappingAdd(1, ordering: .relaxed)
    }

    /// Ends the handle's life, whoever holds it.
    private func retireHandle() {
        _ = pointee.header.retire(pointee.header.generation.load(ordering: .relaxed))
    }

    /// The route as a listing tells of it.
    fileprivate var route: Route? {
        guard let info = pointee.pattern else { return nil }
        return Route(
            pattern: String(decoding: info.text, as: UTF8.self), remark: String(decoding: info.remark, as: UTF8.self),
            isPublic: pointee.isPublic)
    }

    /// Gives back a registration that never became reachable. Its context stays the caller's.
    fileprivate func discard() {
        retireHandle()
        pointee.pattern?.release()
        pointee.pattern = nil
        let record = UnsafeMutableRawPointer(self)
        ProcessState.lock.with { ProcessState.current.pointee.registrations.give(record) }
    }
}
