/// The part for the thread of the wormhole's listeners. An engine's feeds say themselves when there is something for
/// them.
extension EngineTransport {
    func listen(to topic: Topic, _ isListening: Bool) {}

    func noteQueuesConsumed(_ sequence: UInt64) {}

    func nudge() { host.wakeup.nudge() }

    func mark() -> WakeMark { WakeMark(wakeup: host.wakeup.mark, watch: .none) }

    func isNotifiedSoon(since mark: WakeMark, hash: UInt64) -> Bool { false }

    func sleep(since mark: WakeMark, until time: UInt64) { host.wakeup.sleep(since: mark.wakeup, until: time) }

    func heedTimer() -> UInt64 { .max }

    func sequence() throws(CrosstieError) -> UInt64 { 0 }

    func changes(after consumed: UInt64, upTo sequence: UInt64) -> Changes { .none }

    func hasChanged(below prefix: Topic, after consumed: UInt64) -> Bool { false }

    var givenBackCount: UInt64 { 0 }

    func tend() {}

    func enterAgainIfLost(_ list: any ListenerList) {}

    var hasMoved: Bool { false }

    func followMove(_ list: any ListenerList) {}
}
