import Synchronization

/// Registering and removing routes.
extension BusRecord {
    /// How many routes a bus may have.
    package static var maximumRoutes: Int { 1_000_000 }

    /// Registers a route. The content's context is destroyed if this fails.
    package static func addRoute(
        _ handle: Handle, pattern text: UnsafeRawBufferPointer, remark: String, replacing: Bool,
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
        _ bus: Pointer, _ state: BusState, _ text: UnsafeRawBufferPointer, _ remark: String, _ replacing: Bool,
        _ content: RegistrationContent
    ) throws(CrosstieError) -> (registration: Handle, replaced: Registration.Pointer?) {
        let pattern = try state.pattern(text)
        guard state.routes.count < maximumRoutes, let table = bus.pointee.routes else {
            throw CrosstieError(.limit, "a bus has at most \(maximumRoutes) routes")
        }
        let listing = RouteListing(
            pattern: pattern, text: String(decoding: text, as: UTF8.self), remark: remark, isPublic: content.isPublic)
        var content = content
        content.pattern = PatternInfo(text: listing.text, names: pattern.parameterNames)
        guard let registration = Registration.make(content, on: bus) else {
            content.pattern?.release()
            throw CrosstieError(.noMemory, "no room for another registration")
        }
        do throws(CrosstieError) {
            let index = registration.pointee.header.index
            let outcome = try table.insert(pattern, value: index, replacing: replacing, grace: ReadSide.waitForReaders)
            let replaced = try state.settle(outcome, pattern)
            state.routes[index] = listing
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
            state.routes[index] = nil
            registration.retireHandle()
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
            guard let state = bus.pointee.state, registration.pointee.header.retire(handle.generation) else {
                return false
            }
            if let listing = state.routes.removeValue(forKey: handle.index) {
                _ = bus.pointee.routes?.remove(listing.pattern)
            } else {
                unlistInterceptor(handle.index, bus, state)
            }
            return true
        }
        return isOurs ? registration.end() : .handle
    }

    /// The routes of a bus, in the byte order of their patterns.
    package static func listRoutes(_ handle: Handle) throws(CrosstieError) -> [RouteListing] {
        try withState(handle) { _, state in Array(state.routes.values) }
            .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    }
}

extension BusState {
    /// A pattern's text, read with this bus's default scheme.
    func pattern(_ text: UnsafeRawBufferPointer) throws(CrosstieError) -> Pattern {
        try Pattern(text, orUnder: defaultScheme)
    }

    /// The registration that an insertion put out of its place, its handle dead; throws for a conflict.
    fileprivate func settle(
        _ outcome: RouteTable.InsertResult, _ pattern: Pattern
    ) throws(CrosstieError) -> Registration.Pointer? {
        switch outcome {
        case .inserted:
            return nil
        case .conflict(let index):
            let other = routes[index]?.text ?? ""
            throw CrosstieError(.conflict, "\(pattern.description) has the shape of the route \(other)")
        case .replaced(let index):
            routes[index] = nil
            let replaced = Registration.at(index)
            replaced?.retireHandle()
            return replaced
        }
    }
}

extension UnsafeMutablePointer where Pointee == Registration {
    /// Ends the handle's life, whoever holds it.
    func retireHandle() {
        _ = pointee.header.retire(pointee.header.generation.load(ordering: .relaxed))
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
