/// A call of a peer that runs on the joined bus.
final class IncomingCall: @unchecked Sendable {
    let id: UInt64
    let peer: Peer
    /// Where the caller waits in shared memory, if it does.
    let ticket: AnswerTicket?

    // Guarded by the peer's lock.
    /// The call of the request, by which it can be cancelled; nil before it is known and after it has ended.
    var call: Handle?
    var isOver = false

    init(_ id: UInt64, from peer: Peer, _ ticket: AnswerTicket?) {
        (self.id, self.peer, self.ticket) = (id, peer, ticket)
    }

    /// The completion of the request.
    static let complete: CompletionFunction = { response, context in
        guard let incoming = CallbackContext.object(context, as: IncomingCall.self),
            case .live(let block) = RequestBlock.response(Handle(bits: UInt(bitPattern: response)))
        else { return }
        incoming.peer.answer(incoming, incoming.frame(block))
    }

    /// Sends the answer of a request whose handler may not have returned. False if it has none, or the peer has ended. Only
    /// for the thread that has taken the call from its peer's table.
    func answerEarly(_ handle: Handle) -> Bool {
        guard let block = RequestBlock.ended(handle) else { return false }
        defer { block.drop() }
        guard !peer.hasEnded else { return true }
        let frame = frame(block)
        peer.answer(id, ticket, frame.bytes, frame.descriptors, frame.outside)
        return true
    }

    private func frame(_ block: RequestBlock.Pointer) -> FrameWriter {
        var status = block.pointee.status
        // A bus that closes leaves its peers.
        if status == .closed, !block.isBusLive { status = .peerGone }
        var writer = FrameWriter(
            .answer, id: id, limit: peer.maximumFrameSize, keepsDescriptors: peer.link.isLocal)
        writer.word(UInt32(bitPattern: status.rawValue))
        writer.word(UInt32(bitPattern: block.pointee.code))
        // A missing component or route has the words of the caller's own bus.
        let isMissing = status == .noComponent || status == .noRoute && block.isUnexplained
        let text = isMissing || status.isSuccess ? nil : block.responseMessage
        writer.longBytes(text ?? UnsafeRawBufferPointer(start: nil, count: 0))
        do throws(CrosstieError) {
            try writer.value(block.pointee.value)
            return writer
        } catch {
            return FrameWriter(answer: id, error.status, code: error.status.code, "the answer: \(error.message)")
        }
    }

    /// Sends the request's progress on.
    static let progress: ProgressFunction = { value, context in
        guard let incoming = CallbackContext.object(context, as: IncomingCall.self), let value = ValueRef(value)
        else { return }
        incoming.peer.sendProgress(incoming.id, value)
    }
}
