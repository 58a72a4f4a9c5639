/// A connection to a joined bus in another process, or to another one of this process.
final class Peer: @unchecked Sendable {
    /// Nil for one that a server connects.
    let socket: PacketSocket?
    let link: any PeerLink
    let sender: FrameSender
    let memory = PeerMemory()
    /// By which the join's thread knows it.
    let token: UInt64
    let join: JoinCore
    /// The process at the other end, as the kernel knows it; nil for one that a server connects.
    let process: (pid: Int32, uid: UInt32)?
    let since: Int64
    let budget = DescriptorBudget()
    let lock = Lock()
    private let allPutDown = Condition()

    // Guarded by the lock.
    private(set) var hello: Hello?
    private var exports = NameList.none
    private var idempotent: Set<String> = []
    /// Whether calls go to it: not before its greeting, nor if another connection leads to the same join.
    private(set) var isUsed = false
    private var isOver = false
    /// Whether this side is about to say goodbye: it takes no more calls, and sends the answers that were given.
    private var isLeaving = false
    /// The calls of the peer that a thread is beginning or answering; no code of a host runs meanwhile.
    private var inHand = 0
    /// Whether it is cut off because it does not read its answers.
    private var isUnread = false
    private var calls: [UInt64: OutgoingCall] = [:]
    private var incoming: [UInt64: IncomingCall] = [:]
    private var lastID: UInt64 = 0
    /// The time of the last answer or progress, or of the first call after it.
    private var lastSign: UInt64 = 0
    /// The description of the peer in its requests; owned.
    private var caller = ValueRef.null

    /// The descriptors for the frame that comes next. Only for the thread that receives.
    var brought = BroughtDescriptors.none

    init(_ socket: PacketSocket, of join: JoinCore, token: UInt64, pid: Int32, uid: UInt32) {
        (self.socket, link, self.join, self.token, process) = (socket, socket, join, token, (pid, uid))
        sender = FrameSender(socket)
        since = Int64(clamping: WallTime.now())
    }

    init(_ link: ServerLink, of join: JoinCore, token: UInt64) {
        (socket, self.link, self.join, self.token, process) = (nil, link, join, token, nil)
        sender = FrameSender(link)
        since = Int64(clamping: WallTime.now())
    }

    deinit {
        caller.release()
        allPutDown.free()
        lock.free()
    }

    private func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// The most bytes of a frame that the peer takes.
    var maximumFrameSize: Int { with { hello?.maximumFrameSize ?? 4096 } }

    var isGreeted: Bool { with { hello != nil } }

    var isCompatible: Bool { with { hello?.version == Frame.version } }

    /// The wait of a call to it: first whether it has been silent for two seconds with calls in hand, then their
    /// number.
    var load: (isSilent: Bool, calls: Int) {
        let now = Clock.coarse()
        return with { (!calls.isEmpty && now > lastSign &+ 2_000_000_000, calls.count) }
    }

    func noteUnread() { with { isUnread = true } }

    var doesNotRead: Bool { with { isUnread } }

    var hasEnded: Bool { with { isOver } }

    /// Whether calls of the peer are dropped: the goodbye that follows ends them.
    var takesNoCalls: Bool { with { isOver || isLeaving } }

    func isCalled(_ wanted: String) -> Bool {
        with { hello.map { $0.name == wanted || String($0.member) == wanted } ?? false }
    }

    func exports(_ wanted: Wanted) -> Bool { with { isUsed && !isOver && exports.has(wanted) } }

    /// Its components and actions that a join imports, each with the short description of the peer.
    func offers(to join: JoinCore) -> [(String, Value)] {
        let (known, exports): (Hello?, NameList) = with { (isUsed && !isOver ? hello : nil, self.exports) }
        guard let known else { return [] }
        let short = describe(known, isShort: true)
        return join.imported(of: exports).map { ($0, short) }
    }

    var name: String { with { hello?.name ?? "" } }

    func isSameJoin(as other: Hello) -> Bool {
        with { !isOver && hello?.member == other.member && hello?.number == other.number }
    }

    /// Makes the peer known.
    func admit(_ hello: Hello, isUsed: Bool) {
        let short = try? describe(hello, isShort: true).makeRef()
        with {
            (self.hello, self.isUsed, exports) = (hello, isUsed, NameList(of: hello.exports))
            idempotent = Set(hello.idempotent)
            caller = short ?? .null
        }
    }

    func setExports(_ names: [String], _ idempotent: [String]) {
        let list = NameList(of: names)
        with { (exports, self.idempotent) = (list, Set(idempotent)) }
    }

    /// Whether a call of an action may be sent to another peer after this one's end.
    func mayRepeat(_ wanted: Wanted) -> Bool {
        guard case .action(let component, let action) = wanted else { return false }
        let name = String(decoding: component, as: UTF8.self) + "." + String(decoding: action, as: UTF8.self)
        return with { idempotent.contains(name) }
    }

    /// The peer for people and programs; nil before its greeting.
    var description: Value? {
        with { isUsed && !isOver ? hello : nil }.map { describe($0, isShort: false) }
    }

    /// The same of one that has ended; nil if it was never known.
    var lastDescription: Value? { with { isUsed ? hello : nil }.map { describe($0, isShort: false) } }

    func describe(_ hello: Hello, isShort: Bool) -> Value {
        let member = Value.int(Int64(clamping: hello.member))
        let (pid, uid) = (Value.int(process.map { Int64($0.pid) } ?? 0), Value.int(process.map { Int64($0.uid) } ?? -1))
        if isShort { return ["member": member, "name": .string(hello.name), "pid": pid, "uid": uid] }
        let (names, count) = with { (isUsed ? exports.names : hello.exports, calls.count) }
        return [
            "member": member, "name": .string(hello.name), "pid": pid, "uid": uid, "since": .int(since),
            "exports": .list(names.map(Value.string)), "calls": .int(Int64(count)),
            "compatible": .bool(hello.version == Frame.version),
        ]
    }

    // MARK: Calls of this bus

    /// Enters a call of a request, which the caller has retained; nil when the connection has ended.
    ///
    /// - Parameter isAwaited: whether the caller's thread waits for the answer, and can take it from shared memory.
    func enter(
        _ request: Handle, depth: UInt32, isAwaited: Bool = false, isRepeated: Bool = false
    ) -> OutgoingCall? {
        let slots = isAwaited ? memory.slots : nil
        return with {
            guard !isOver, !isLeaving else { return nil }
            if calls.isEmpty { lastSign = Clock.coarse() }
            lastID &+= 1
            let call = OutgoingCall(
                lastID, request, to: self, depth: depth, isRepeated: isRepeated, waitingIn: slots)
            calls[lastID] = call
            return call
        }
    }

    /// Makes the caller the one that ends a call; nil if another thread is.
    func take(_ id: UInt64) -> OutgoingCall? { with { calls.removeValue(forKey: id) } }

    /// Ends a call with an answer, after its progress.
    func finish(_ id: UInt64, _ answer: CallAnswer) {
        let (taken, isKept) = with { () -> (OutgoingCall?, Bool) in
            lastSign = Clock.coarse()
            guard let call = calls[id], call.isDelivering, call.answer == nil else {
                return (calls.removeValue(forKey: id), false)
            }
            call.answer = answer
            return (nil, true)
        }
        if let taken { return taken.end(answer) }
        // Late, unless the thread that delivers progress has it now.
        if !isKept { answer.release() }
    }

    /// Whether requests are in hand, in either direction.
    var hasRequests: Bool { with { !calls.isEmpty || !incoming.isEmpty } }

    /// Whether a call waits for its answer still.
    func has(_ call: OutgoingCall) -> Bool { with { calls[call.id] === call } }

    /// The calls that wait for an answer.
    var openCalls: [OutgoingCall] { with { Array(calls.values) } }

    /// Takes progress of a call.
    func receiveProgress(_ id: UInt64, _ value: ValueRef) {
        let call = with { () -> OutgoingCall? in
            lastSign = Clock.coarse()
            guard let call = calls[id] else {
                value.release()
                return nil
            }
            if call.progress.count >= OutgoingCall.maximumProgress { call.progress.removeFirst().release() }
            call.progress.append(value)
            defer { call.isDelivering = true }
            return call.isDelivering ? nil : call
        }
        if let call { deliverLater(call) }
    }

    /// Delivers the progress that waits, then the answer that came behind it.
    func deliverProgress(of call: OutgoingCall) {
        while let value = (with { call.progress.isEmpty ? nil : call.progress.removeFirst() }) {
            _ = RequestBlock.progress(call.request, value)
        }
        let (goesOn, answer) = with { () -> (Bool, CallAnswer?) in
            guard call.progress.isEmpty else { return (true, nil) }
            call.isDelivering = false
            guard let answer = call.answer, calls.removeValue(forKey: call.id) != nil else { return (false, nil) }
            call.answer = nil
            return (false, answer)
        }
        // A join that has left adds nothing to its thread, which is this one.
        if goesOn { return deliverLater(call) ? () : deliverProgress(of: call) }
        if let answer { call.end(answer) }
    }

    /// A call does not retain its peer, which the job does. False where there is no thread any more.
    @discardableResult
    private func deliverLater(_ call: OutgoingCall) -> Bool {
        join.callbacks.add { [self] in deliverProgress(of: call) }
    }

    // MARK: Calls of the peer

    /// Enters a call of the peer; nil for a number that it uses already, and if no calls are taken. The caller begins it,
    /// and then puts it down.
    func enterIncoming(_ id: UInt64, _ ticket: AnswerTicket?) -> IncomingCall? {
        with {
            guard incoming[id] == nil, !isOver, !isLeaving else { return nil }
            let call = IncomingCall(id, from: self, ticket)
            incoming[id] = call
            inHand += 1
            return call
        }
    }

    /// Notes by which call a request can be cancelled, which it is at once if the connection has ended. False if the
    /// request has ended.
    func note(_ call: Handle, of incoming: IncomingCall) -> Bool {
        let (isNoted, isTooLate) = with { () -> (Bool, Bool) in
            guard !incoming.isOver else { return (false, false) }
            incoming.call = call
            return (true, isOver)
        }
        if isTooLate { _ = RequestBlock.cancel(call) }
        return isNoted
    }

    /// Removes a call of the peer that has its answer. False if that was done before, or the connection has ended: its
    /// goodbye ends the call, and the caller's thread might see the answer first. Else the caller sends the answer, and
    /// then puts the call down.
    func takeIncoming(_ call: IncomingCall) -> Bool {
        let (isFirst, isTaken, handle) = with { () -> (Bool, Bool, Handle?) in
            guard !call.isOver else { return (false, false, nil) }
            call.isOver = true
            incoming[call.id] = nil
            if !isOver { inHand += 1 }
            defer { call.call = nil }
            return (true, !isOver, call.call)
        }
        if let handle { _ = RequestBlock.releaseCall(handle) }
        if isFirst { join.leaveCall() }
        return isTaken
    }

    /// Puts down a call that was begun, or whose answer was sent.
    func putDown() {
        with {
            inHand -= 1
            if inHand == 0, isLeaving { allPutDown.broadcast() }
        }
    }

    /// Takes no more calls, and removes those that have no answer yet or whose handlers have not returned: each with the
    /// call of its request. Answers that other threads have in hand are sent when this returns.
    func takeAllIncoming() -> [(IncomingCall, Handle)] {
        let calls = with { () -> [(IncomingCall, Handle)] in
            isLeaving = true
            // Nobody waits in between, so this takes no time unless threads do not get on.
            let deadline = Clock.deadline(milliseconds: 10_000)
            while inHand > 0, allPutDown.wait(lock, until: deadline) {}
            defer { incoming = [:] }
            return incoming.values.compactMap { call in
                defer { (call.isOver, call.call) = (true, nil) }
                return call.call.map { (call, $0) }
            }
        }
        for _ in calls { join.leaveCall() }
        return calls
    }

    func cancelIncoming(_ id: UInt64) {
        guard let handle = with({ incoming[id]?.call }) else { return }
        _ = RequestBlock.cancel(handle)
    }

    /// The description of the peer for a request of it; owned.
    func sender(depth: UInt32) -> RequestSender { RequestSender(with { caller.retained() }, depth: depth) }

    // MARK: The end

    /// Says goodbye to the peer and ends all calls. The answers that were given come first.
    func leave(_ message: String) {
        let theirs = takeAllIncoming()
        var unanswered: [Handle] = []
        for (call, handle) in theirs where !call.answerEarly(handle) { unanswered.append(handle) }
        end(.closed, message, farewell: FrameWriter(.goodbye).bytes)
        for handle in unanswered { _ = RequestBlock.cancel(handle) }
        for (_, handle) in theirs { _ = RequestBlock.releaseCall(handle) }
    }

    /// Ends all calls of a connection that has ended. Does nothing the second time.
    ///
    /// - Parameter farewell: a last frame. It follows the moment from which answers count no more.
    func end(_ status: Status, _ message: String, farewell: [UInt8]? = nil) {
        let (ours, theirs) = with { () -> ([OutgoingCall], [Handle]) in
            isOver = true
            // An answer that waits behind its progress has come. This side's own end does not wait for that.
            let answered = status == .closed ? [:] : calls.filter { $0.value.answer != nil }
            defer { calls = answered }
            return (calls.values.filter { answered[$0.id] == nil }, incoming.values.compactMap(\.call))
        }
        if let farewell { _ = send(farewell, [], .unlimited) }
        for call in ours where status != .peerGone || !join.forwarder.repeats(call) {
            call.end(CallAnswer(status, message))
        }
        for call in theirs { _ = RequestBlock.cancel(call) }
    }

    /// For messages.
    var title: String {
        let name = with { hello?.name } ?? "a peer"
        return process.map { "\(name) (process \($0.pid))" } ?? "\(name) (by the server)"
    }
}
