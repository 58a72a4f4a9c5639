/// A call that a peer has in hand. It retains the request until one thread, the one that takes it from its peer's table,
/// has ended it or found it ended.
final class OutgoingCall: @unchecked Sendable {
    let id: UInt64
    /// The retained request.
    let request: Handle
    unowned let peer: Peer
    /// The number of requests that it is nested in, itself included.
    let depth: UInt32
    /// Whether another peer had it before, and ended.
    let isRepeated: Bool

    // Guarded by the peer's lock.
    /// Progress that the caller has not received yet; owned.
    var progress: [ValueRef] = []
    /// Whether a thread delivers progress, or is about to.
    var isDelivering = false
    /// The answer that came while progress was delivered.
    var answer: CallAnswer?

    /// The most progress that waits; then the oldest is dropped.
    static var maximumProgress: Int { 64 }

    init(_ id: UInt64, _ request: Handle, to peer: Peer, depth: UInt32, isRepeated: Bool) {
        (self.id, self.request, self.peer) = (id, request, peer)
        (self.depth, self.isRepeated) = (depth, isRepeated)
    }

    deinit {
        for value in progress { value.release() }
        answer?.release()
    }

    /// Ends the request. Only for the thread that has taken the call from its table.
    func end(_ answer: consuming CallAnswer) {
        if case .live(let block) = RequestBlock.request(request) {
            _ = block.answer(answer.status, code: answer.code, value: answer.value, message: answer.message)
        } else {
            answer.release()
        }
        _ = RequestBlock.release(request)
    }
}

/// The answer to a call, with its value and message owned.
struct CallAnswer {
    let status: Status
    let code: Int32
    let value: ValueRef
    let message: ValueRef

    init(_ status: Status, code: Int32, value: ValueRef, message: ValueRef) {
        (self.status, self.code, self.value, self.message) = (status, code, value, message)
    }

    /// An answer of this library.
    init(_ status: Status, _ message: String = "") {
        let text = message.isEmpty ? nil : try? Value.string(message).makeRef()
        self.init(status, code: status.code, value: .null, message: text ?? .null)
    }

    func release() {
        value.release()
        message.release()
    }
}
