internal import CCrosstie

/// Joined buses.
extension HostEngine {
    func join(_ number: UInt64, maximumFrameSize: Int) throws(CrosstieError) {
        let left = try begin()
        try end("join", functions.join?(context, number, UInt64(clamping: maximumFrameSize), left))
    }

    /// Does not wait. An impossible answer is *systemFailure*.
    func sendFrame(_ join: UInt64, _ peer: UInt64, _ frame: UnsafeRawBufferPointer, most: Int) -> Status {
        do throws(CrosstieError) {
            try calls.call("send_frame") {
                functions.send_frame?(context, join, peer, EngineBytes.lend(value: frame), UInt64(clamping: most))
            }
            return .ok
        } catch {
            return error.status
        }
    }

    func disconnect(_ join: UInt64, _ peer: UInt64) { calls.call { functions.disconnect?(context, join, peer) } }

    /// Also when no time is left.
    func leave(_ join: UInt64) throws(CrosstieError) {
        let now = Clock.now()
        let left = max(HostCalls.milliseconds(calls.deadline &- min(now, calls.deadline)), 1)
        try calls.call("leave") { functions.leave?(context, join, left) }
    }
}
