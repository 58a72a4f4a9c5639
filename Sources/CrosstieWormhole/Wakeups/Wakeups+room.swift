internal import CPlatform
internal import Glibc
import Synchronization

/// Senders that wait until a durable consumer has room for more. They share one word: bit 0 says that a sender waits,
/// the rest counts.
extension Wakeups {
    private var room: UnsafeMutablePointer<Atomic<UInt32>> {
        (base + WakeupsLayout.roomOffset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// Notifies waiting senders that a consumer may have room: the commit that made it precedes this.
    func notifyRoom() {
        let before = room.pointee.wrappingAdd(2, ordering: .sequentiallyConsistent).oldValue
        guard before & 1 == 1 else { return }
        room.pointee.bitwiseAnd(~1, ordering: .sequentiallyConsistent)
        _ = cp_futex_wake(UnsafeRawPointer(room), Int32.max, true)
    }

    /// The state to wait with; taken before looking whether there is room.
    var roomMark: UInt32 { room.pointee.load(ordering: .sequentiallyConsistent) & ~1 }

    /// Sleeps until a notification of room, or for a while; not at all if there has been one since the mark was taken.
    func waitForRoom(since mark: UInt32, nanoseconds: UInt64) {
        let seen = room.pointee.bitwiseOr(1, ordering: .sequentiallyConsistent).oldValue
        guard seen & ~1 == mark else { return }
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = cp_futex_wait(UnsafeRawPointer(room), mark | 1, &time, true)
    }
}
