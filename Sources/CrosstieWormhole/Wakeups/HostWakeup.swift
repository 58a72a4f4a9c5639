internal import CCrosstie
internal import Glibc

/// The object that a transport notifies of changed records. It wakes all listeners in this process.
struct HostWakeup {
    private let lock = Lock()
    /// Nil when the group is closed. Guarded by the lock.
    private var wakeups: Wakeups?

    /// Makes the transport notify from here on.
    static func hang(_ wakeups: Wakeups, on transport: HostTransport) throws(CrosstieError) -> UnsafeMutablePointer<
        HostWakeup
    > {
        let wakeup = UnsafeMutablePointer<HostWakeup>.allocate(capacity: 1)
        wakeup.initialize(to: HostWakeup(wakeups: wakeups))
        do throws(CrosstieError) {
            try transport.watch(wakeup) { HostWakeup.notify($0) }
        } catch {
            // It may notify all the same: the memory stays.
            wakeup.pointee.silence()
            throw error
        }
        return wakeup
    }

    /// Stops its notifications. Unless the transport confirms that, the memory stays.
    static func takeDown(_ wakeup: UnsafeMutablePointer<HostWakeup>, from transport: HostTransport) {
        wakeup.pointee.silence()
        guard (try? transport.watch(nil)) != nil else { return }
        wakeup.pointee.lock.free()
        wakeup.deinitialize(count: 1)
        wakeup.deallocate()
    }

    static func notify(_ raw: UnsafeMutableRawPointer?) {
        guard let wakeup = raw?.assumingMemoryBound(to: HostWakeup.self) else { return }
        wakeup.pointee.lock.with {
            guard let wakeups = wakeup.pointee.wakeups else { return }
            wakeups.wake(wakeups.notify(wakeups.everybody))
        }
    }

    private init(wakeups: Wakeups) { self.wakeups = wakeups }

    private mutating func silence() { lock.with { wakeups = nil } }
}
