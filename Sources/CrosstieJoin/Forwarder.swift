/// The forwarder of a bus's requests to the peers of all its joins.
final class Forwarder: @unchecked Sendable {
    private nonisolated(unsafe) static let registry = Lock()
    /// By the bus. Guarded by the registry's lock.
    private nonisolated(unsafe) static var all: [UInt: Forwarder] = [:]

    private let bus: Handle
    private let lock = Lock()
    // Guarded by the lock.
    private var joins: [JoinCore] = []
    /// Where the next search begins among peers with equally many calls.
    private var turn = 0
    private var attendants: [(dispatcher: String, attendant: Attendant)] = []

    private init(_ bus: Handle) { self.bus = bus }

    deinit { lock.free() }

    /// The bus's forwarder, made when the bus first joins a group.
    static func of(_ bus: Handle) throws(CrosstieError) -> Forwarder {
        registry.lock()
        defer { registry.unlock() }
        if let known = all[bus.bits] { return known }
        let fresh = Forwarder(bus)
        try BusRecord.setElsewhere(
            bus,
            Elsewhere(
                takes: { fresh.takes($0) }, forward: { fresh.forward($0) }, hearers: { fresh.hearers(of: $0, $1) },
                components: { fresh.offers }, changed: { fresh.announce() }, over: { fresh.end() }))
        all[bus.bits] = fresh
        return fresh
    }

    /// Leaves all groups with the bus.
    private func end() {
        Forwarder.registry.lock()
        if Forwarder.all[bus.bits] === self { Forwarder.all[bus.bits] = nil }
        Forwarder.registry.unlock()
        for join in current { _ = join.leave() }
    }

    private var current: [JoinCore] {
        lock.lock()
        defer { lock.unlock() }
        return joins
    }

    /// The attendant of the workers of a dispatcher, for all joins of the bus.
    func attendant(_ dispatcher: String) throws(CrosstieError) -> Attendant {
        lock.lock()
        defer { lock.unlock() }
        for each in attendants where each.dispatcher == dispatcher { return each.attendant }
        let fresh = Attendant()
        try BusRecord.setAttendance(bus, dispatcher: dispatcher, fresh)
        attendants.append((dispatcher, fresh))
        return fresh
    }

    func add(_ join: JoinCore) {
        lock.lock()
        defer { lock.unlock() }
        joins.append(join)
    }

    func remove(_ join: JoinCore) {
        lock.lock()
        defer { lock.unlock() }
        joins.removeAll { $0 === join }
    }

    /// A call leaves wherever the imports name it, so that its failure is known at once; a URL only to a peer that exports
    /// it, since this bus may have another handler; an event to the peer that it is for.
    private func takes(_ block: RequestBlock.Pointer) -> Bool {
        guard let wanted = Wanted(block) else { return false }
        switch wanted {
        case .action: return current.contains { $0.imports(wanted) }
        case .url: return !candidates(wanted, block.wantedPeer).isEmpty
        case .event: return block.hearer != nil
        }
    }

    private func hearers(of event: String, _ name: String) -> [Elsewhere.Hearer] {
        candidates(.event(event), name).map { Elsewhere.Hearer($0.name, $0) }
    }

    private var offers: [Elsewhere.Offer] {
        current.filter { !$0.isForked }.flatMap { join in
            join.peers.flatMap { peer in peer.offers(to: join).map { Elsewhere.Offer($0.0, $0.1) } }
        }
    }

    private func announce() { for join in current where !join.isForked { join.announce() } }

    // MARK: Forwarding

    private func forward(_ block: RequestBlock.Pointer) {
        guard let wanted = Wanted(block) else { return end(block, .noComponent) }
        let depth = ThreadSlot.current.depthOfRequests
        guard depth <= ThreadSlot.maximumDepth else { return end(block, .nestedTooDeeply) }
        switch choose(wanted, block) {
        case .failure(let status):
            end(block, status, status == .incompatibleVersion ? "the peers that export it have another format" : "")
        case .success(let peer):
            do throws(CrosstieError) {
                try send(block, to: peer, depth: depth)
            } catch {
                end(block, error.status, error.description)
            }
        }
    }

    private func end(_ block: RequestBlock.Pointer, _ status: Status, _ message: String = "") {
        block.end(status, message: message)
    }

    /// The peers that may get a request.
    private func candidates(_ wanted: Wanted, _ name: String) -> [Peer] {
        current.filter { !$0.isForked }.flatMap { join in
            join.imports(wanted) ? join.peers.filter { $0.exports(wanted) && (name.isEmpty || $0.isCalled(name)) } : []
        }
    }

    /// The peer for a request: of those that export it the one with the fewest in hand, ties in turn. One that is silent
    /// with requests in hand comes last.
    private func choose(_ wanted: Wanted, _ block: RequestBlock.Pointer) -> Result<Peer, Status> {
        if case .event = wanted {
            guard let peer = block.hearer as? Peer else { return .failure(.noComponent) }
            return peer.isCompatible ? .success(peer) : .failure(.incompatibleVersion)
        }
        let candidates = candidates(wanted, block.wantedPeer)
        let usable = candidates.filter(\.isCompatible)
        guard usable.count > 1 else {
            let missing: Status = block.pointee.kind == .open ? .noRoute : .noComponent
            let failure = candidates.isEmpty ? missing : .incompatibleVersion
            return usable.first.map { .success($0) } ?? .failure(failure)
        }
        lock.lock()
        turn = (turn &+ 1) % usable.count
        let first = turn
        lock.unlock()
        var best = (peer: usable[first], load: usable[first].load)
        for step in 1..<usable.count {
            let peer = usable[(first + step) % usable.count]
            let load = peer.load
            let isBetter = load.isSilent == best.load.isSilent ? load.calls < best.load.calls : best.load.isSilent
            if isBetter { best = (peer, load) }
        }
        return .success(best.peer)
    }

    private func send(_ block: RequestBlock.Pointer, to peer: Peer, depth: UInt32) throws(CrosstieError) {
        let request = block.pointee.header.handle(.request)
        let retained = RequestBlock.retain(request)
        guard retained == .ok else { throw CrosstieError(retained, "") }
        let isAwaited = block.hasWaitingCaller && !block.pointee.isFollowed && block.pointee.kind != .event
        guard let call = peer.enter(request, depth: depth, isAwaited: isAwaited) else {
            _ = RequestBlock.release(request)
            throw CrosstieError(.peerGone, "\(peer.title) has ended")
        }
        if let error = transmit(call, block, to: peer) { call.end(CallAnswer(error.status, error.description)) }
    }

    /// Sends the frame of a call that has been entered. Returns why it was not sent; the caller has the call then.
    private func transmit(_ call: OutgoingCall, _ block: RequestBlock.Pointer, to peer: Peer) -> CrosstieError? {
        do throws(CrosstieError) {
            let frame = try FrameWriter.request(block, call.id, call.depth, to: peer)
            let status = peer.send(
                frame.bytes, frame.descriptors, awaitedAt: call.ticket, outside: frame.outside)
            guard status == .ok else { throw Forwarder.refusal(status, peer) }
            if call.ticket != nil { block.pointee.answerSource = AwaitedCall(call, of: peer) }
            _ = RequestBlock.onCancel(call.request, Forwarder.cancelled, CallbackContext(holding: Cancellation(call)))
            return nil
        } catch {
            return peer.take(call.id) == nil ? nil : error
        }
    }

    /// Sends a call whose peer has ended to another one, once, if its action allows that. False if it has to end.
    func repeats(_ call: OutgoingCall) -> Bool {
        guard !call.isRepeated, case .live(let block) = RequestBlock.request(call.request), !block.hasEnded,
            let wanted = Wanted(block), call.peer.mayRepeat(wanted), case .success(let peer) = choose(wanted, block),
            let again = peer.enter(call.request, depth: call.depth, isRepeated: true)
        else { return false }
        guard transmit(again, block, to: peer) == nil else { return false }
        call.giveUpSlot()
        return true
    }

    private static func refusal(_ status: Status, _ peer: Peer) -> CrosstieError {
        CrosstieError(status, status == .busy ? "\(peer.title) does not read its calls" : "\(peer.title) has ended")
    }

    /// A call to be cancelled with its request, and its peer, which the call itself does not retain.
    private final class Cancellation: Sendable {
        let call: OutgoingCall
        let peer: Peer

        init(_ call: OutgoingCall) { (self.call, peer) = (call, call.peer) }
    }

    private static let cancelled: NotifyFunction = { context in
        guard let own = CallbackContext.object(context, as: Cancellation.self),
            let call = own.peer.take(own.call.id)
        else { return }
        own.peer.sendCancel(call.id)
        call.leave()
    }
}
