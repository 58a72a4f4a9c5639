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
    /// The slot where the caller's thread waits for the answer, if it does.
    private let slot: (slots: AnswerSlots, ticket: AnswerTicket)?

    // Guarded by the peer's lock.
    /// Progress that the caller has not received yet; owned.
    var progress: [ValueRef] = []
    /// Whether a thread delivers progress, or is about to.
    var isDelivering = false
    /// The answer that came while progress was delivered.
    var answer: CallAnswer?

    /// The most progress that waits; then the oldest is dropped.
    static var maximumProgress: Int { 64 }

    init(
        _ id: UInt64, _ request: Handle, to peer: Peer, depth: UInt32, isRepeated: Bool,
        waitingIn slots: AnswerSlots?
    ) {
        (self.id, self.request, self.peer) = (id, request, peer)
        (self.depth, self.isRepeated) = (depth, isRepeated)
        slot = slots.flatMap { slots in slots.reserve().map { (slots, $0) } }
    }

    deinit {
        for value in progress { value.release() }
        answer?.release()
    }

    var ticket: AnswerTicket? { slot?.ticket }

    /// The progress of the answer to the slot where the caller's thread waits for it.
    var answerProgress: AnswerSlots.Progress { slot.map { $0.slots.progress($0.ticket) } ?? .never }

    /// Drops what came too late. Only for the thread that has taken the call from its table.
    func leave() {
        giveUpSlot()
        _ = RequestBlock.release(request)
    }

    /// The answer does not come to where the caller's thread waits. Once, for the thread that has taken the call.
    func giveUpSlot() { slot.map { $0.slots.giveBack($0.ticket) } }

    /// Ends the request. Only for the thread that has taken the call from its table.
    func end(_ answer: consuming CallAnswer) {
        if case .live(let block) = RequestBlock.request(request) {
            _ = block.answer(answer.status, code: answer.code, value: answer.value, message: answer.message)
        } else {
            answer.release()
        }
        leave()
    }
}
