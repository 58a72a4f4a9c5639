/// The way of frames to a peer: by shared memory once both sides have it, and by the socket before. A frame that has no
/// room in the memory goes by the socket, too, as do those after it until the socket has been read.
///
/// In the memory and on the socket, an entry and a frame mark the change, so that the frames stay in order.
final class FrameSender: @unchecked Sendable {
    private let link: any PeerLink
    private let lock = Lock()
    // Guarded by the lock.
    private var outbox: Outbox?
    private var usesMemory = false

    init(_ link: any PeerLink) { self.link = link }

    deinit { lock.free() }

    /// Sends frames by shared memory from now on.
    func begin(_ outbox: Outbox) {
        lock.lock()
        defer { lock.unlock() }
        self.outbox = outbox
        turnToMemory()
    }

    private func turnToMemory() { usesMemory = link.send(FrameWriter(.memory).bytes, [], most: .max) == .ok }

    /// Sends a frame, or queues it. Returns as ``PeerLink/send(_:_:most:)``.
    ///
    /// - Parameters:
    ///   - outside: the contents that it names.
    ///   - descriptors: those that the frame names, with which it goes by the socket.
    ///   - ticket: where the caller waits for the answer, unless the frame goes by the socket.
    func send(
        _ frame: [UInt8], _ outside: OutsideContents, _ descriptors: [Descriptor], most: Int, _ ticket: AnswerTicket?
    ) -> Status {
        // The engine keeps the order, and a frame may take it a moment.
        guard link.isLocal else { return link.send(outside.inside(frame), descriptors, most: most) }
        lock.lock()
        defer { lock.unlock() }
        let needsSocket = !descriptors.isEmpty
        let fits = frame.count + outside.size <= SharedLayout.largeBlockSize
        if !needsSocket, !usesMemory, fits, outbox?.isHalfEmpty == true, !link.isBehind { turnToMemory() }
        if usesMemory {
            if !needsSocket, let status = finish(frame.withUnsafeBytes { outbox?.send($0, ticket, outside) }) {
                return status
            }
            guard finish(outbox?.turnToSocket()) == .ok else { return .peerGone }
            usesMemory = false
        }
        return link.send(outside.inside(frame), descriptors, most: most)
    }

    /// Wakes the peer for what was sent. Nil if it has no room.
    private func finish(_ sending: Outbox.Sending?) -> Status? {
        switch sending {
        case .sent(.socket):
            link.wake()
            return .ok
        case .sent(.nothing): return .ok
        case .full: return nil
        case .broken, nil:
            link.shutDown()
            return .peerGone
        }
    }
}
