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
    ///
    /// - Parameters:
    ///   - descriptors: those that the frame names.
    ///   - ticket: where the caller of a call waits for the answer.
    ///   - outside: the contents that the frame names.
    func send(
        _ frame: [UInt8], _ descriptors: [Descriptor] = [], _ patience: Patience = .normal,
        awaitedAt ticket: AnswerTicket? = nil, outside: OutsideContents = .none
    ) -> Status {
        guard !join.isForked else { return .peerGone }
        let most: Int
        switch patience {
        case .normal: most = join.mostWaiting
        case .long: most = join.mostWaiting * 4
        case .unlimited: most = .max
        }
        return sender.send(frame, outside, descriptors, most: most, ticket)
    }

    /// Ends the connection: the peer sees its end after what was sent.
    func cutOff() { link.shutDown() }

    /// Sends the answer to a call, to where its caller waits if that is known. A peer that does not read its answers is cut
    /// off.
    func answer(
        _ id: UInt64, _ ticket: AnswerTicket?, _ frame: [UInt8], _ descriptors: [Descriptor] = [],
        _ outside: OutsideContents = .none
    ) {
        guard frame.count + outside.size <= maximumFrameSize else {
            return answer(id, ticket, FrameWriter.answer(id, .limitExceeded, "the answer is too large"))
        }
        if descriptors.isEmpty, outside.size == 0, let ticket, memory.answer(frame, ticket) { return }
        guard send(frame, descriptors, .long, outside: outside) == .busy else { return }
        guard descriptors.isEmpty else {
            return answer(id, ticket, FrameWriter.answer(id, .busy, "too many descriptors are on their way"))
        }
        noteUnread()
        cutOff()
    }

    /// Sends the answer to a call that was entered, unless another thread has done so.
    func answer(_ call: IncomingCall, _ frame: FrameWriter) {
        guard takeIncoming(call) else { return }
        answer(call.id, call.ticket, frame.bytes, frame.descriptors, frame.outside)
        putDown()
    }

    /// Sends progress, which is dropped if the peer does not read.
    func sendProgress(_ id: UInt64, _ value: ValueRef) {
        guard let plain = try? value.materialized() else { return }
        defer { plain.release() }
        var writer = FrameWriter(.progress, id: id, limit: maximumFrameSize)
        guard (try? writer.encode(plain)) != nil else { return }
        _ = send(writer.bytes)
    }

    func sendCancel(_ id: UInt64) { _ = send(FrameWriter(.cancel, id: id).bytes, [], .long) }
}
