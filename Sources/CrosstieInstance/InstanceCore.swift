/// A process's claim on an application.
package final class InstanceCore: @unchecked Sendable {
    let bus: Handle
    let dispatcher: String
    let location: InstanceLocation
    private let usesDBus: Bool
    private let forkCount: UInt32
    private let lock = Lock()

    // Guarded by the lock.
    /// Of the first instance.
    private var server: InstanceServer?
    private(set) var isReady = false
    private(set) var isReleased = false
    /// The URLs that this process handed to itself before it was ready.
    private var own: [Handed] = []
    /// The others whose URLs wait until this process is ready, in their order.
    private var waiting: [Visitor] = []
    /// The first instance's name on the session bus, if it has any chance to be had.
    private var name: DBusName?
    /// Why it has none.
    private var nameless = DBusState.notFirst
    /// The calls over the session bus that wait until this process is ready, and the number of all that have no answer.
    var calls: [DBusCall] = []
    var callCount = 0

    package static var usualTimeoutMilliseconds: Int64 { 10_000 }
    package static var maximumURLs: Int { 1024 }
    package static var maximumURL: Int { 8192 }

    /// Claims an application for a bus.
    package static func claim(
        _ bus: Handle, _ application: String, directory: String?, dispatcher: String, usesDBus: Bool
    ) throws(CrosstieError) -> InstanceCore {
        let location = try InstanceLocation(application, directory: directory)
        try BusRecord.checkDispatcher(bus, dispatcher)
        let core = InstanceCore(bus, location, dispatcher, usesDBus)
        try BusRecord.setEnding(bus, ObjectIdentifier(core)) { [weak core] in _ = core?.release() }
        do throws(CrosstieError) {
            try core.becomeFirst()
        } catch {
            _ = core.release()
            throw error
        }
        return core
    }

    private init(_ bus: Handle, _ location: InstanceLocation, _ dispatcher: String, _ usesDBus: Bool) {
        (self.bus, self.location, self.dispatcher, self.usesDBus) = (bus, location, dispatcher, usesDBus)
        forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    }

    deinit { lock.free() }

    func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    package var isForked: Bool { forkCount != ProcessState.current.pointee.forkCount.load(ordering: .relaxed) }

    package func requireOpen() throws(CrosstieError) {
        if isForked { throw CrosstieError(.forked, "the application was claimed before a fork of this process") }
        guard !with({ isReleased }) else { throw CrosstieError(.closed, "the claim has ended, with the bus or before") }
    }

    package var isFirst: Bool { with { server != nil && !isReleased } }

    /// Claims the application, unless another process has it.
    private func becomeFirst() throws(CrosstieError) {
        guard !isFirst, let claim = try location.claim() else { return }
        let fresh = try InstanceServer(claim)
        try fresh.start(self)
        let isKept = with { () -> Bool in
            guard !isReleased else { return false }
            server = fresh
            return true
        }
        if !isKept { fresh.stop(waiting: false) }
        try requireOpen()
        askForName()
    }

    /// Asks the session bus for the application's name.
    private func askForName() {
        let (fresh, state) = usesDBus ? DBusName.ask(for: location.application, self) : (nil, .unwanted)
        let isKept = with { () -> Bool in
            nameless = state
            if !isReleased { name = fresh }
            return !isReleased
        }
        if !isKept { fresh?.stop(waiting: false) }
        if fresh == nil, usesDBus { note(state) }
    }

    package var dbusState: DBusState { with { name }?.state ?? with { nameless } }

    // MARK: This process's URLs

    /// Hands URLs to the first instance, or an activation alone where there are none.
    package func hand(
        _ urls: [String], _ activation: Value, milliseconds: Int64
    ) throws(CrosstieError) -> [HandedURL] {
        try requireOpen()
        try Activation.check(activation)
        let limit = milliseconds == 0 ? InstanceCore.usualTimeoutMilliseconds : milliseconds
        let deadline = Clock.deadline(milliseconds: limit)
        let replace = { [self] () throws(CrosstieError) in try becomeFirst() }
        var way = HandOver(location, until: deadline, isFirst: { [self] in isFirst }, replace: replace)
        return try way.deliver(urls, activation) { keep(Handed($0, activation, until: deadline)) }
    }

    /// Keeps a URL of the first instance's own until it is ready, or opens it.
    private func keep(_ handed: Handed) -> HandedURL {
        let isKept = with { () -> Bool in
            // Its sender has its answer: nobody waits for a deadline.
            if !isReady { own.append(Handed(handed.url, handed.activation, until: Clock.never)) }
            return !isReady
        }
        return isKept ? HandedURL(handed.url, .pending) : open(handed)
    }

    /// Opens a URL on this thread.
    private func open(_ handed: Handed) -> HandedURL {
        do throws(CrosstieError) {
            return try handed.withSpec(dispatcher: "") { spec throws(CrosstieError) in
                guard !handed.url.isEmpty else {
                    let result = try Array(Event.activate.utf8).withBytes { name throws(CrosstieError) in
                        try BusRecord.broadcast(bus, name, .null, spec)
                    }
                    return HandedURL("", .ok, code: 1, value: result.value)
                }
                var url = handed.url
                let outcome = url.withUTF8 { OpenKind.open(bus, UnsafeRawBufferPointer($0), spec, keeping: true) }
                guard let block = outcome.block else { throw outcome.error }
                defer { block.drop() }
                return HandedURL(handed.url, Response(block))
            }
        } catch {
            return HandedURL(handed.url, error.status, error.description)
        }
    }

    /// Opens the waiting URLs, this process's own first, on workers.
    package func ready() throws(CrosstieError) {
        try requireOpen()
        guard isFirst else {
            throw CrosstieError(.invalidArgument, "this process is not the first instance", at: "instance")
        }
        let (kept, visitors, called) = with { () -> ([Handed], [Visitor], [DBusCall]) in
            defer { (isReady, own, waiting, calls) = (true, [], [], []) }
            return (own, waiting, calls)
        }
        openOwn(kept)
        for visitor in visitors { take(from: visitor) }
        for call in called { open(call) }
    }

    /// Opens this process's URLs. Their failures are in the log.
    private func openOwn(_ kept: [Handed]) {
        openInOrder(kept[...]) { [self] handed, answer in
            if !answer.status.isSuccess { complain(handed, answer.message) }
        }
    }

    /// Opens URLs, each when the one before has ended. `note` gets each answer, and then `end` is called.
    func openInOrder(
        _ handed: ArraySlice<Handed>, note: @escaping @Sendable (Handed, HandedURL) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) {
        var left = handed
        while let first = left.popFirst() {
            let rest = left
            let refusal = OpeningURL.start(first, on: bus, dispatcher: dispatcher) { [self] answer in
                note(first, answer)
                openInOrder(rest, note: note, end: end)
            }
            guard let refusal else { return }
            note(first, HandedURL(first.url, refusal.status, refusal.description))
        }
        end()
    }

    private func complain(_ handed: Handed, _ reason: String) {
        let url = handed.url.isEmpty ? "the activation" : Quotation.shown(handed.url)
        BusRecord.write(to: bus, .error, "instance of \(location.application): \(url): \(reason)")
    }

    // MARK: Others' URLs

    /// Receives from another instance, on the server's thread. False when it has left.
    func receive(from visitor: Visitor) -> Bool {
        let isNew = with { () -> Bool in
            switch visitor.receive() {
            case .nothing: return false
            case .ended, .malformed:
                visitor.leave()
                return false
            case .frame(let frame): return note(frame, of: visitor)
            }
        }
        if isNew { take(from: visitor) }
        return with { () -> Bool in
            if !visitor.isHere { waiting.removeAll { $0 === visitor } }
            return visitor.isHere
        }
    }

    /// Whether a frame hands over a URL that can be taken now.
    private func note(_ frame: InstanceFrame, of visitor: Visitor) -> Bool {
        switch frame.kind {
        case .ask:
            let hasName = name?.state.status == .ok
            let state: Value = ["ready": .bool(isReady), "dbus": .bool(hasName)]
            if !visitor.send(InstanceFrame(.state, state)) { visitor.leave() }
            return false
        case .open where visitor.waiting == nil && !visitor.isTaken:
            guard frame.body["version"]?.intValue == InstanceFrame.version, let handed = Handed(frame.body) else {
                _ = visitor.send(HandedURL("", .incompatibleVersion).frame)
                return false
            }
            visitor.waiting = handed
            if !isReady { waiting.append(visitor) }
            return isReady
        default:
            visitor.leave()
            return false
        }
    }

    /// Takes a URL, and opens it, unless its sender has left.
    private func take(from visitor: Visitor) {
        let handed = with { () -> Handed? in
            guard !isReleased, let handed = visitor.waiting else { return nil }
            guard visitor.send(InstanceFrame(.taken)) else {
                visitor.stop()
                return nil
            }
            (visitor.waiting, visitor.isTaken) = (nil, true)
            return handed
        }
        guard let handed else { return }
        let refusal = OpeningURL.start(handed, on: bus, dispatcher: dispatcher) { [self] answer in
            self.answer(visitor, answer.frame)
        }
        guard let refusal else { return }
        // A bus that has closed leaves the URL to the next first instance.
        let isOver = refusal.status == .closed || refusal.status == .invalidHandle
        answer(visitor, isOver ? InstanceFrame(.returned) : HandedURL("", refusal.status, refusal.description).frame)
    }

    /// Answers for a URL that was taken.
    private func answer(_ visitor: Visitor, _ frame: InstanceFrame) {
        with {
            let isSent = visitor.send(frame)
            visitor.isTaken = false
            if !visitor.isHere { visitor.leave() } else if !isSent { visitor.stop() }
        }
    }

    /// Lets others go, on the server's thread as it ends.
    func dismiss(_ visitors: [Visitor]) {
        with { for visitor in visitors { visitor.leave() } }
    }

    // MARK: The end

    /// Ends the claim. Inside any callback the thread ends by itself: *pending*.
    package func release() -> Status {
        if isForked { return .forked }
        let (ended, left, isOver) = with { () -> (InstanceServer?, [Handed], Bool) in
            defer { (isReleased, server, own, waiting) = (true, nil, [], []) }
            return (server, own, isReleased)
        }
        guard !isOver else { return .ok }
        for handed in left { complain(handed, "not opened, because the process never was ready") }
        BusRecord.removeEnding(bus, ObjectIdentifier(self))
        let waits = !ThreadSlot.current.isInCallback
        leaveSessionBus(waiting: waits)
        guard let ended else { return .ok }
        ended.stop(waiting: waits)
        return waits ? .ok : .pending
    }

    private func leaveSessionBus(waiting: Bool) {
        let (name, called) = with { () -> (DBusName?, [DBusCall]) in
            defer { (self.name, calls, nameless) = (nil, [], .notFirst) }
            return (self.name, calls)
        }
        for call in called { call.answer(InstanceCore.claimEnded) }
        name?.stop(waiting: waiting)
    }
}
