import Synchronization

extension BusRecord {
    /// Sets the system opener of a bus, and the schemes that it may open. The content is destroyed if this fails.
    package static func setSystemOpener(
        _ handle: Handle, _ policy: SystemOpenerPolicy, _ content: RegistrationContent?
    ) throws(CrosstieError) -> Status {
        do throws(CrosstieError) {
            let (gate, before) = try withState(handle) { bus, state throws(CrosstieError) in
                let index = try registration(content, .systemOpener, on: bus)
                let gate = SystemOpenerGate.make(policy, handler: index)
                state.part(SystemOpenerPart.self).policy = policy
                return (
                    bus.pointee.systemOpenerGate.exchange(gate, ordering: .acquiringAndReleasing),
                    replace(.systemOpener, of: bus, with: index)
                )
            }
            ReadSide.waitForReaders()
            SystemOpenerGate.free(gate)
            return before?.end() ?? .ok
        } catch {
            content?.destroy()
            throw error
        }
    }
}
