internal import Glibc

/// The process's buses by name: how parts in several languages meet.
package enum SharedBuses {
    // Guarded by the process's lock.
    nonisolated(unsafe) private static var names: [String: Handle] = [:]
    /// The threads that give buses their static components.
    nonisolated(unsafe) private static var givers: [UInt: pthread_t] = [:]
    /// The longest wait for them, because their factories may wait for others.
    private static var patience: UInt64 { 5_000_000_000 }

    /// The bus of a name, made if there is none, with a reference for the caller.
    ///
    /// - Parameter complete: gives a new bus its static components.
    static func get(_ name: String, complete: (Handle) -> Void) throws(CrosstieError) -> Handle {
        while true {
            if let handle = ProcessState.lock.with({ names[name] }), BusRecord.retain(handle) == .ok {
                awaitComponents(of: handle)
                return handle
            }
            let fresh = try BusRecord.make(BusOptions(name: name))
            guard publish(fresh, as: name) else {
                _ = BusRecord.close(fresh)
                continue
            }
            // Only now: a static component's factory may ask for this very bus.
            complete(fresh)
            ProcessState.lock.with { givers[fresh.bits] = nil }
            return fresh
        }
    }

    /// Returns when a bus has its static components; at once in the factory of one, and in any case after a while.
    private static func awaitComponents(of bus: Handle) {
        let (this, end) = (pthread_self(), Clock.now() &+ patience)
        while ProcessState.lock.with({ givers[bus.bits] != nil && !givers.values.contains(this) }), Clock.now() < end {
            Clock.sleep(nanoseconds: 100_000)
        }
    }

    /// False when another thread was first with a bus that lives.
    private static func publish(_ fresh: Handle, as name: String) -> Bool {
        ProcessState.lock.with {
            if let other = names[name], case .live = BusRecord.resolve(other) { return false }
            names[name] = fresh
            givers[fresh.bits] = pthread_self()
            return true
        }
    }

    /// Forgets a bus that is closing.
    static func forget(_ bus: BusRecord.Pointer) {
        let index = bus.pointee.header.index
        ProcessState.lock.with { names = names.filter { $0.value.index != index } }
    }
}
