/// Has a function asked while this thread waits inside the library, until the thread ends or another function takes its
/// place; nil for none.
///
/// It is asked about every 50 milliseconds, and at once where a signal interrupts a wait for a request. It is a callback
/// as any other: no lock is held. If it says so the wait ends. That of a synchronous request ends with *cancelled*; that
/// for a call does, too, and the call goes on; that for what runs of something that is removed or closed ends as inside a
/// callback: it goes on without this thread.
public func setThreadWait(_ shallEnd: (() -> Bool)?) { ThreadSlot.current.pointee.waitFunction = shallEnd }

/// How a wait has come to its end.
enum WaitEnd {
    /// What was waited for is there.
    case over
    /// The deadline came first.
    case late
    /// The host does not want this thread to wait any longer.
    case unwanted
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// A thread whose host wants to be asked sleeps so long at a time, in nanoseconds; nil for one without.
    package var longestSleep: UInt64? { pointee.waitFunction == nil ? nil : 50_000_000 }

    /// Asks the host whether the wait of this thread, which is the calling one, shall end. No lock is held.
    package func isWaitUnwanted() -> Bool {
        guard let function = pointee.waitFunction else { return false }
        var isUnwanted = false
        withCallback { isUnwanted = function() }
        return isUnwanted
    }
}

/// A wait that looks again and again, with naps between.
struct NappingWait {
    private let slot = ThreadSlot.current
    private var next: UInt64

    init() { next = slot.longestSleep.map { Clock.now() &+ $0 } ?? Clock.never }

    /// Sleeps a moment. False when the host does not want this thread to wait any longer.
    mutating func nap() -> Bool {
        Clock.sleep(nanoseconds: 20_000)
        return !isUnwanted()
    }

    /// Asks the host now and then.
    mutating func isUnwanted() -> Bool {
        guard next != Clock.never, Clock.now() >= next else { return false }
        defer { next = Clock.now() &+ (slot.longestSleep ?? 0) }
        return slot.isWaitUnwanted()
    }
}
