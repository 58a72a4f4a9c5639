import Synchronization

/// Registering and removing routes.
extension BusRecord {
    /// The most routes that a bus may have.
    package static var maximumRoutes: Int { 1_000_000 }

    /// Registers a route. The content is destroyed if this fails.
    package static func addRoute(
        _ handle: Handle, _ spec: RouteSpec, _ content: RegistrationContent
    ) throws(CrosstieError) -> Handle {
        do throws(CrosstieError) {
            let added = try withState(handle) { bus, state throws(CrosstieError) in
                try insert(bus, state, spec, content)
            }
            if let replaced = added.replaced { _ = replaced.end() }
            return added.registration
        } catch {
            content.destroy()
            throw error
        }
    }

    /// With the lock held.
    private static func insert(
        _ bus: Pointer, _ state: BusState, _ spec: RouteSpec, _ content: RegistrationContent
    ) throws(CrosstieError) -> (registration: Handle, replaced: RegistrationRecord.Pointer?) {
        let pattern = try state.pattern(spec.pattern)
        guard state.routes.count < maximumRoutes, let table = bus.pointee.space?.pointee.routes else {
            throw CrosstieError(.limitExceeded, "a bus has at most \(maximumRoutes) routes")
        }
        let destination = try state.destination(for: pattern, spec, in: table)
        var content = content
        content.pattern = spec.withName { PatternInfo(pattern, text: spec.pattern, remark: spec.remark, name: $0) }
        if state.countsHits { content.traits.insert(.counted) }
        guard let registration = RegistrationRecord.make(content, on: bus) else {
            content.pattern?.release()
            throw CrosstieError(.outOfMemory, "no room for another registration")
        }
        do throws(CrosstieError) {
            let replaced = try state.put(registration, pattern, at: destination, in: table, replacing: spec.isReplacing)
            state.note(registration.pointee.header.index, spec, pattern)
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
            guard let table = bus.pointee.space?.pointee.routes, let registration = state.route(of: pattern, in: table)
            else { throw CrosstieError(.notFound, "no route has the shape of \(pattern.description)") }
            state.unlink(registration, pattern, from: table)
            return registration
        }
        return removed.end()
    }

    /// Removes all routes.
    package static func clearRoutes(_ handle: Handle) throws(CrosstieError) -> Status {
        let removed = try withState(handle) { bus, state in
            guard let table = bus.pointee.space?.pointee.routes else { return [] as [RegistrationRecord.Pointer] }
            let registrations = state.routes.compactMap(RegistrationRecord.at)
            for registration in registrations { state.unlink(registration, from: table) }
            return registrations
        }
        return RegistrationRecord.Pointer.endEach(removed)
    }

    /// Removes the object of a registration's handle.
    package static func release(_ handle: Handle) -> Status {
        let resolved = ProcessState.current.pointee.registrations.resolve(
            handle, .registration, as: RegistrationRecord.self)
        guard case .live(let registration) = resolved else { return resolved.status }
        let bus = registration.pointee.bus
        var rest: (() -> Status)?
        let isOurs = bus.withLock {
            // The handle's life decides the one that removes it: this caller, another one, or the bus's closing.
            guard let state = bus.pointee.state,
                registration.pointee.header.generation.load(ordering: .relaxed) == handle.generation
            else { return false }
            if state.routes.contains(handle.index) {
                if let table = bus.pointee.space?.pointee.routes { state.unlink(registration, from: table) }
                return true
            }
            for part in state.parts {
                switch part.remove(registration, from: bus) {
                case .foreign: continue
                case .taken: return false
                case .begun(let end): rest = end
                }
                return true
            }
            registration.leaveBus()
            if !state.unlinkRuleHandler(handle.index) { unlistInterceptor(handle.index, bus, state) }
            return true
        }
        guard isOurs else { return .invalidHandle }
        return rest.map { $0() } ?? registration.end()
    }

    /// The routes of a bus, in the byte order of their patterns.
    package static func listRoutes(_ handle: Handle) throws(CrosstieError) -> [Route] {
        try withState(handle) { _, state in
            state.routes.compactMap { RegistrationRecord.at($0)?.route(ofRule: state.ruleHandlers.id(of: $0)) }
        }
        .sorted { $0.pattern.utf8.lexicographicallyPrecedes($1.pattern.utf8) }
    }
}
