internal import CCrosstie

/// Messages that the engine delivers.
extension EngineHost {
    /// - Returns: the status for the engine, and the credit that comes back at once.
    func deliver(
        _ number: UInt64, _ first: UnsafeRawPointer?, _ count: Int, keepsCredit: Bool
    ) -> (Status, credit: Int) {
        if isForked { return (.forked, 0) }
        guard (1...EngineHost.maximumCount).contains(count) else { return (.invalidArgument, 0) }
        guard let inbox = inbox(number) else { return (.notFound, 0) }
        do throws(CrosstieError) {
            let given = try EngineStructs(first, count: count, size: MemoryLayout<ctie_engine_message>.size)
            let (status, credit) = inbox.add(given, keepsCredit: keepsCredit, report)
            if status == .limitExceeded { report(.ofEngine("delivered more than its credit")) }
            return (status, credit)
        } catch {
            report(error)
            // The messages are an argument here, and no result of the engine.
            return (error.status == .corruptData ? .invalidArgument : error.status, 0)
        }
    }

    func report(_ fault: CrosstieError) {
        if log.report(fault.message) { wakeup.nudge() }
    }
}
