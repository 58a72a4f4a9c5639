extension Bus {
    /// The bus's own loop, made when it is first asked for.
    ///
    /// - Throws: *systemFailure* (no descriptor); *invalidHandle* (the bus has closed).
    public func loop() throws(CrosstieError) -> Loop { Loop(try BusRecord.loop(handle)) }
}

extension BusRecord {
    /// A bus's own loop.
    package static func loop(_ handle: Handle) throws(CrosstieError) -> LoopQueue {
        try withState(handle) { _, state throws(CrosstieError) in
            if let loop = state.loop { return loop }
            let fresh = try LoopQueue(isOwned: true)
            state.loop = fresh
            return fresh
        }
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    /// Ends the own loop of a bus that is closing, and waits for a thread that is dispatching it.
    func endLoop() {
        guard let loop = withLock({ pointee.state?.loop }) else { return }
        loop.close()
        while loop.isBeingDispatched { Clock.sleep(nanoseconds: 20_000) }
    }
}
