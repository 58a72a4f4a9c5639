extension BusRecord {
    /// Everything that is not read without the lock. Only with the lock.
    @inline(__always)
    package var state: BusState? {
        get { stateObject.map { unsafeDowncast($0, to: BusState.self) } }
        set { stateObject = newValue }
    }

    /// Runs `body` on a live bus's cold state, with its lock held.
    package static func withState<Result>(
        _ handle: Handle, _ body: (Pointer, BusState) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else {
            throw CrosstieError(resolved.status, "invalid or released bus handle")
        }
        return try bus.withLock { () throws(CrosstieError) -> Result in
            guard bus.handle == handle, let state = bus.pointee.state else {
                throw CrosstieError(.invalidHandle, "the bus has been closed")
            }
            return try body(bus, state)
        }
    }
}
