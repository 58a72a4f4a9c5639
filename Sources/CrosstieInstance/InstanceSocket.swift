internal import CPlatform
internal import Glibc

/// A connection of an instance to the first one.
final class InstanceSocket: @unchecked Sendable {
    private let file: Int32
    /// The process that listens, or began to.
    let pid: Int32

    init(_ file: Int32, pid: Int32) {
        (self.file, self.pid) = (file, pid)
        HeldFiles.add(file)
    }

    deinit {
        HeldFiles.remove(file)
        Glibc.close(file)
    }

    /// Sends a frame. Returns 0, or an errno: EMSGSIZE for a frame that is too large, another one if the connection has
    /// ended.
    func send(_ frame: InstanceFrame) -> Int32 { frame.send(file) }

    enum Arrival {
        case frame(InstanceFrame)
        case ended, malformed, late
        /// The host does not want this thread to wait.
        case unwanted
    }

    /// Waits for a frame.
    func receive(until deadline: UInt64) -> Arrival {
        while true {
            switch InstanceFrame.receive(file) {
            case .frame(let frame): return .frame(frame)
            case .ended: return .ended
            case .malformed: return .malformed
            case .nothing: break
            }
            let now = Clock.now()
            guard now < deadline else { return .late }
            let slot = ThreadSlot.current
            let span = min(deadline &- now, slot.longestSleep ?? .max)
            var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            // Rounded up, so that the deadline has passed afterwards.
            if poll(&entry, 1, Int32(clamping: span / 1_000_000 &+ 1)) <= 0, slot.isWaitUnwanted() { return .unwanted }
        }
    }

    /// Ends what the other side may send: nothing arrives after this, and what it has sent can still be received.
    func stop() { shutdown(file, Int32(SHUT_RDWR)) }
}
