/// This side's part of the memory that it shares with a peer.
final class PeerMemory: @unchecked Sendable {
    private let lock = Lock()
    /// Held while frames are taken from the memory; no host's code runs meanwhile.
    private let receiving = Lock()

    // Guarded by the lock.
    private var memory: SharedMemory?
    /// The direction of this side's frames.
    private var direction = 0
    private var ownSlots: AnswerSlots?
    private var ownInbox: Inbox?

    // Guarded by the lock of receiving.
    /// Whether the peer's frames come by the memory at present.
    private var isRead = false

    deinit {
        lock.free()
        receiving.free()
    }

    private func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// Keeps memory until the peer has it, too.
    func keep(_ memory: SharedMemory, direction: Int) { with { (self.memory, self.direction) = (memory, direction) } }

    /// Whether memory was offered.
    var isKept: Bool { with { memory != nil } }

    /// Begins to use the memory. Gives the sending end; nil where there is none, or it is in use.
    func begin() -> Outbox? {
        with {
            guard let memory, ownInbox == nil else { return nil }
            ownInbox = Inbox(memory, direction: 1 - direction)
            ownSlots = AnswerSlots(memory, direction: direction)
            return Outbox(memory, direction: direction)
        }
    }

    var inbox: Inbox? { with { ownInbox } }

    /// The slots where callers of this process wait for answers.
    var slots: AnswerSlots? { with { ownSlots } }

    /// Writes the answer to a call of the peer where its caller waits. False if it has no room there.
    func answer(_ frame: [UInt8], _ ticket: AnswerTicket) -> Bool {
        let (shared, theirs) = with { (self.memory, 1 - self.direction) }
        return frame.withUnsafeBytes { shared?.answer($0, in: theirs, ticket) } ?? false
    }

    // MARK: Receiving

    /// The result of a look into the inbox.
    enum Taken {
        case nothing, call
        /// A frame that is no call. It was taken out; its block is to be given back.
        case frame([UInt8], Inbox.Entry)
        /// There is such a frame, which is left to the join's thread.
        case left
        /// The peer has broken the form.
        case broken
    }

    /// Reads the peer's frames from the memory from now on. False if that was so, or there is no memory.
    func read() -> Bool {
        receiving.lock()
        defer { receiving.unlock() }
        guard inbox != nil, !isRead else { return false }
        isRead = true
        return true
    }

    /// Whether the peer's frames come by the socket at present.
    var readsSocket: Bool {
        receiving.lock()
        defer { receiving.unlock() }
        return !isRead
    }

    /// Takes the next frame. A call is begun before another thread can take the frame behind it.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a frame.
    ///   - isWorker: whether the thread is not the join's, and takes calls alone.
    ///   - begin: begins a call. False if that breaks the form.
    func take(
        limit: Int, isWorker: Bool, _ begin: (UnsafeRawBufferPointer, AnswerTicket?, OutsideBytes) -> Bool
    ) -> Taken {
        guard let inbox else { return .nothing }
        receiving.lock()
        defer { receiving.unlock() }
        guard isRead else { return .nothing }
        switch inbox.next {
        case .nothing: return .nothing
        case .broken: return .broken
        case .entry(let entry):
            if entry.location == .socket {
                inbox.take(entry)
                isRead = false
                return .nothing
            }
            guard entry.size <= limit else { return .broken }
            // A large answer is not copied twice.
            if isWorker, !inbox.seemsToBe(.call, entry) { return .left }
            let frame = inbox.copy(entry)
            let isCall = frame.first == Frame.Kind.call.rawValue
            if isWorker, !isCall { return .left }
            inbox.take(entry)
            guard isCall else { return .frame(frame, entry) }
            defer { inbox.giveBack(entry) }
            let outside = inbox.outside(entry, limit: limit)
            return frame.withUnsafeBytes { begin($0, entry.ticket, outside) } ? .call : .broken
        }
    }
}
