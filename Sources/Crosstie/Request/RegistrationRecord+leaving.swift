import Synchronization

extension UnsafeMutablePointer where Pointee == RegistrationRecord {
    /// Ends the handle of a registration that is taken off its bus, with the bus's lock held. The bus does not finish
    /// closing before it is destroyed.
    func leaveBus() {
        retireHandle()
        pointee.bus.pointee.leaving.wrappingAdd(1, ordering: .relaxed)
    }

    /// Ends the handle's life, however many hold it.
    private func retireHandle() {
        _ = pointee.header.retire(pointee.header.generation.load(ordering: .relaxed))
    }

    /// Gives back a registration that never became reachable. Its content stays the caller's.
    func discard() {
        retireHandle()
        pointee.pattern?.release()
        pointee.pattern = nil
        if pointee.owner == nil { pointee.interceptors?.forget() }
        pointee.freeSpecial()
        let record = UnsafeMutableRawPointer(self)
        ProcessState.lock.with { ProcessState.current.pointee.registrations.give(record) }
    }
}
