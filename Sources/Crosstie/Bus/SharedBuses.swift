/// The process's buses by name: how parts in several languages meet.
package enum SharedBuses {
    // Guarded by the process's lock.
    nonisolated(unsafe) private static var names: [String: Handle] = [:]

    /// The bus of a name, made if there is none, with a reference for the caller. What the process shares has its
    /// static components, too.
    package static func get(_ name: String) throws(CrosstieError) -> Handle {
        while true {
            if let handle = ProcessState.lock.with({ names[name] }), BusRecord.retain(handle) == .ok { return handle }
            let fresh = try BusRecord.make(BusOptions(name: name))
            guard publish(fresh, as: name) else {
                _ = BusRecord.close(fresh)
                continue
            }
            // Only now: a static component's factory may ask for this very bus.
            StaticComponents.give(to: fresh)
            return fresh
        }
    }

    /// False when another thread was first with a bus that lives.
    private static func publish(_ fresh: Handle, as name: String) -> Bool {
        ProcessState.lock.with {
            if let other = names[name], case .live = BusRecord.resolve(other) { return false }
            names[name] = fresh
            return true
        }
    }

    /// Forgets a bus that is closing.
    static func forget(_ bus: BusRecord.Pointer) {
        let index = bus.pointee.header.index
        ProcessState.lock.with { names = names.filter { $0.value.index != index } }
    }
}
