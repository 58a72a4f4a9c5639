/// The frames that a peer gets. Only these functions know how they travel.
extension Peer {
    /// The bytes that may wait for a peer that does not read, before a frame is refused.
    enum Patience {
        /// For frames that this side can do without.
        case normal
        /// For frames that end something.
        case long
        /// For a last frame.
        case unlimited
    }

    /// Sends a frame, or queues it. Returns *busy* for a peer that does not read, and *peerGone* if the connection has
    /// ended.
    func send(_ frame: [UInt8], _ patience: Patience = .normal) -> Status {
        let most: Int
        switch patience {
        case .normal: most = join.mostWaiting
        case .long: most = join.mostWaiting * 4
        case .unlimited: most = .max
        }
        return socket.send(frame, most: most)
    }

    /// Ends the connection: the peer sees its end after what was sent.
    func cutOff() { socket.shutDown() }

    /// Sends the answer to a call. A peer that does not read its answers is cut off.
    func answer(_ id: UInt64, _ frame: [UInt8]) {
        let fits = frame.count <= maximumFrameSize
        let limit = Status.limitExceeded
        let frame = fits ? frame : FrameWriter.answer(id, limit, code: limit.code, message: "the answer is too large")
        guard send(frame, .long) == .busy else { return }
        join.log(.warning, "\(title) does not read its answers, and is cut off")
        cutOff()
    }

    /// Sends progress, which is dropped if the peer does not read.
    func sendProgress(_ id: UInt64, _ value: ValueRef) {
        guard let plain = try? value.materialized() else { return }
        defer { plain.release() }
        var writer = FrameWriter(.progress, id: id, limit: maximumFrameSize)
        guard (try? writer.encode(plain)) != nil else { return }
        _ = send(writer.bytes)
    }

    func sendCancel(_ id: UInt64) { _ = send(FrameWriter(.cancel, id: id).bytes, .long) }
}
