/// The forwarder of a bus's calls to the peers of all its joins.
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
            Elsewhere(takes: { fresh.takes($0) }, forward: { fresh.forward($0) }, over: { fresh.end() }))
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

    private func takes(_ block: RequestBlock.Pointer) -> Bool {
        guard let target = block.target, let action = block.action, !target.isEmpty else { return false }
        return current.contains { $0.imports(target, action) }
    }

    // MARK: Forwarding

    private func forward(_ block: RequestBlock.Pointer) {
        guard let target = block.target, let action = block.action else { return end(block, .noComponent) }
        let depth = ThreadSlot.current.depthOfRequests
        guard depth <= ThreadSlot.maximumDepth else { return end(block, .nestedTooDeeply) }
        switch choose(target, action, block.wantedPeer) {
        case .failure(let status):
            end(block, status, status == .incompatibleVersion ? "the peers that export it have another format" : "")
        case .success(let peer):
            do throws(CrosstieError) {
                try send(block, to: peer, target, action, depth: depth)
            } catch {
                end(block, error.status, error.description)
            }
        }
    }

    private func end(_ block: RequestBlock.Pointer, _ status: Status, _ message: String = "") {
        block.end(status, message: message)
    }

    /// The peer for a call: of those that export it the one with the fewest calls in hand, ties in turn.
    private func choose(
        _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer, _ wanted: String
    ) -> Result<Peer, Status> {
        var candidates: [Peer] = []
        for join in current where join.imports(target, action) {
            for peer in join.peers where peer.exports(target, action) && (wanted.isEmpty || peer.isCalled(wanted)) {
                candidates.append(peer)
            }
        }
        let usable = candidates.filter(\.isCompatible)
        guard usable.count > 1 else {
            let failure: Status = candidates.isEmpty ? .noComponent : .incompatibleVersion
            return usable.first.map { .success($0) } ?? .failure(failure)
        }
        lock.lock()
        turn = (turn &+ 1) % usable.count
        let first = turn
        lock.unlock()
        var best = (peer: usable[first], count: usable[first].callCount)
        for step in 1..<usable.count {
            let peer = usable[(first + step) % usable.count]
            let count = peer.callCount
            if count < best.count { best = (peer, count) }
        }
        return .success(best.peer)
    }

    private func send(
        _ block: RequestBlock.Pointer, to peer: Peer, _ target: UnsafeRawBufferPointer,
        _ action: UnsafeRawBufferPointer, depth: UInt32
    ) throws(CrosstieError) {
        let request = block.pointee.header.handle(.request)
        let retained = RequestBlock.retain(request)
        guard retained == .ok else { throw CrosstieError(retained, "") }
        let isAwaited = block.hasWaitingCaller && !block.pointee.isFollowed
        guard let call = peer.enter(request, isAwaited: isAwaited) else {
            _ = RequestBlock.release(request)
            throw CrosstieError(.peerGone, "\(peer.title) has ended")
        }
        do throws(CrosstieError) {
            let frame = try Forwarder.frame(block, call.id, target, action, depth, limit: peer.maximumFrameSize)
            let status = peer.send(frame, awaitedAt: call.ticket)
            guard status == .ok else { throw Forwarder.refusal(status, peer) }
            if call.ticket != nil { block.answerPlace = AwaitedCall(call, of: peer) }
            _ = RequestBlock.onCancel(request, Forwarder.cancelled, CallbackContext(holding: Cancellation(call)))
        } catch {
            guard let taken = peer.take(call.id) else { return }
            taken.end(CallAnswer(error.status, error.description))
        }
    }

    private static func refusal(_ status: Status, _ peer: Peer) -> CrosstieError {
        CrosstieError(status, status == .busy ? "\(peer.title) does not read its calls" : "\(peer.title) has ended")
    }

    private static func frame(
        _ block: RequestBlock.Pointer, _ id: UInt64, _ target: UnsafeRawBufferPointer,
        _ action: UnsafeRawBufferPointer, _ depth: UInt32, limit: Int
    ) throws(CrosstieError) -> [UInt8] {
        var writer = FrameWriter(.call, id: id, limit: limit)
        writer.byte((block.pointee.isLocal ? CallFrame.local : 0) | (block.pointee.isFollowed ? CallFrame.progress : 0))
        writer.byte(UInt8(clamping: depth))
        writer.long(UInt64(bitPattern: block.millisecondsLeft ?? -1))
        writer.shortBytes(target)
        writer.shortBytes(action)
        try writer.value(block.pointee.params)
        try writer.value(block.pointee.userInfo)
        guard writer.bytes.count <= limit else {
            throw CrosstieError(.limitExceeded, "a call has over \(limit) bytes (max_frame_size)")
        }
        return writer.bytes
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
