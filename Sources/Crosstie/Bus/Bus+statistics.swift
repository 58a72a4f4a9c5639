extension Bus {
    /// The counts of the bus since it was made: by kind, then by name.
    ///
    /// - Throws: *invalidArgument* (it does not count: ``BusOptions/countsTime``); *invalidHandle* (the bus has closed).
    public func stats() throws(CrosstieError) -> [RequestStats] { try BusRecord.stats(handle) }
}

extension BusRecord {
    package static func stats(_ handle: Handle) throws(CrosstieError) -> [RequestStats] {
        try withState(handle) { bus, _ throws(CrosstieError) in
            guard let meters = bus.pointee.meters else {
                throw CrosstieError(.invalidArgument, "the bus counts nothing: make it with CTIE_BUS_STATS")
            }
            return meters.stats
        }
    }
}
