/// Has a function asked while this thread waits inside the library, until the thread ends or another function
/// replaces it; nil for none.
///
/// It is asked about every 50 milliseconds, and at once where a signal interrupts a wait for a request. It is a callback
/// as any other: no lock is held. If it says so the wait ends. That of a synchronous request ends with *cancelled*; that
/// for a call does, too, and the call goes on; that for what runs of something that is removed or closed ends as inside a
/// callback: it goes on without this thread.
public func setThreadWait(_ shallEnd: (() -> Bool)?) { ThreadSlot.current.pointee.waitFunction = shallEnd }

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
