/// The listeners' thread, and closing.
extension AnyTransport {
    @inline(__always)
    func nudge() {
        switch self {
        case .records(let transport): transport.nudge()
        case .engine(let transport): transport.nudge()
        }
    }

    @inline(__always)
    func mark() -> WakeMark {
        switch self {
        case .records(let transport): transport.mark()
        case .engine(let transport): transport.mark()
        }
    }

    @inline(__always)
    func isNotifiedSoon(since mark: WakeMark, hash: UInt64) -> Bool {
        switch self {
        case .records(let transport): transport.isNotifiedSoon(since: mark, hash: hash)
        case .engine(let transport): transport.isNotifiedSoon(since: mark, hash: hash)
        }
    }

    @inline(__always)
    func sleep(since mark: WakeMark, until time: UInt64) {
        switch self {
        case .records(let transport): transport.sleep(since: mark, until: time)
        case .engine(let transport): transport.sleep(since: mark, until: time)
        }
    }

    @inline(__always)
    func heedTimer() -> UInt64 {
        switch self {
        case .records(let transport): transport.heedTimer()
        case .engine(let transport): transport.heedTimer()
        }
    }

    @inline(__always)
    func sequence() throws(CrosstieError) -> UInt64 {
        switch self {
        case .records(let transport): try transport.sequence()
        case .engine(let transport): try transport.sequence()
        }
    }

    @inline(__always)
    func changes(after consumed: UInt64, upTo sequence: UInt64) -> Changes {
        switch self {
        case .records(let transport): transport.changes(after: consumed, upTo: sequence)
        case .engine(let transport): transport.changes(after: consumed, upTo: sequence)
        }
    }

    @inline(__always)
    func hasChanged(below prefix: Topic, after consumed: UInt64) -> Bool {
        switch self {
        case .records(let transport): transport.hasChanged(below: prefix, after: consumed)
        case .engine(let transport): transport.hasChanged(below: prefix, after: consumed)
        }
    }

    @inline(__always)
    var givenBackCount: UInt64 {
        switch self {
        case .records(let transport): transport.givenBackCount
        case .engine(let transport): transport.givenBackCount
        }
    }

    @inline(__always)
    func tend() {
        switch self {
        case .records(let transport): transport.tend()
        case .engine(let transport): transport.tend()
        }
    }

    @inline(__always)
    func enterAgainIfLost(_ list: any ListenerList) {
        switch self {
        case .records(let transport): transport.enterAgainIfLost(list)
        case .engine(let transport): transport.enterAgainIfLost(list)
        }
    }

    @inline(__always)
    var hasMoved: Bool {
        switch self {
        case .records(let transport): transport.hasMoved
        case .engine(let transport): transport.hasMoved
        }
    }

    @inline(__always)
    func followMove(_ list: any ListenerList) {
        switch self {
        case .records(let transport): transport.followMove(list)
        case .engine(let transport): transport.followMove(list)
        }
    }

    @inline(__always)
    func beginClosing() {
        switch self {
        case .records(let transport): transport.beginClosing()
        case .engine(let transport): transport.beginClosing()
        }
    }

    /// Has all that follows end by a time, on any thread. An engine gets the time of each call.
    func endBy(_ deadline: UInt64) {
        if case .records(let transport) = self { transport.group.hostMembers?.transport.endBy(deadline) }
    }

    @inline(__always)
    func close() {
        switch self {
        case .records(let transport): transport.close()
        case .engine(let transport): transport.close()
        }
    }
}
