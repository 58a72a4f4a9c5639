internal import Glibc

/// What a transport rings when records have changed: everybody in this process who listens.
struct HostBell {
    private let lock = Lock()
    /// Nil when the group is closed. Guarded by the lock.
    private var bells: Bells?

    /// Has the transport ring from here on.
    static func hang(_ bells: Bells, on transport: HostTransport) throws(CrosstieError) -> UnsafeMutablePointer<
        HostBell
    > {
        let bell = UnsafeMutablePointer<HostBell>.allocate(capacity: 1)
        bell.initialize(to: HostBell(bells: bells))
        do throws(CrosstieError) {
            try transport.watch(bell)
        } catch {
            // It may ring all the same: the memory stays.
            bell.pointee.silence()
            throw error
        }
        return bell
    }

    /// Has it ring no more. Unless the transport says that it does not, the memory stays.
    static func takeDown(_ bell: UnsafeMutablePointer<HostBell>, from transport: HostTransport) {
        bell.pointee.silence()
        guard (try? transport.watch(nil)) != nil else { return }
        bell.pointee.lock.free()
        bell.deinitialize(count: 1)
        bell.deallocate()
    }

    static func ring(_ raw: UnsafeMutableRawPointer?) {
        guard let bell = raw?.assumingMemoryBound(to: HostBell.self) else { return }
        bell.pointee.lock.with {
            guard let bells = bell.pointee.bells else { return }
            bells.wake(bells.ring(bells.everybody))
        }
    }

    private init(bells: Bells) { self.bells = bells }

    private mutating func silence() { lock.with { bells = nil } }
}
