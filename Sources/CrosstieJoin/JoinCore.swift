internal import Glibc
import Synchronization

/// A bus's membership in a group: its socket, its peers, and the limits of their calls.
package final class JoinCore: @unchecked Sendable {
    let bus: Handle
    let name: String
    let dispatcher: String
    let isTrusted: Bool
    let maximumCalls: Int
    let maximumFrameSize: Int
    let usesSharedMemory: Bool
    let callbacks = CallbackThread()
    private let imported: NameList
    private let admission: Admission
    let forwarder: Forwarder
    /// Has idle workers wait for requests of peers.
    let attendant: Attendant
    private let forkCount: UInt32
    /// Whether peers may call anything.
    let isServing: Atomic<Bool>
    let lock = Lock()
    private let greeted = Condition()
    /// Held while a thread announces the exports, so that the last announcement is the newest.
    private let announcing = Lock()

    // Guarded by the lock.
    /// The exports by the host's word.
    private var named: [String]
    private var exported: NameList
    private var idempotent: Set<String> = []
    private var allPeers: [Peer] = []
    private var callCount = 0
    private var hasLeft = false
    private var hasListener = false
    /// Set once, before anybody else has the object.
    var source: (any PeerSource)?
    /// Only for the callback thread.
    private var listener: PeerListener?
    /// The peers that it knows. Only for the callback thread.
    private var known: Set<ObjectIdentifier> = []

    /// Decides about peers.
    package struct Admission {
        let decide: ((ValueRef) -> Bool)?
        let end: () -> Void

        package init(_ decide: ((ValueRef) -> Bool)?, end: @escaping () -> Void = {}) {
            (self.decide, self.end) = (decide, end)
        }
    }

    /// Joins a bus to the group of a wormhole. The admission is ended if this fails.
    package static func join(
        _ bus: Handle, _ wormhole: WormholeCore, _ options: JoinOptions, _ admission: Admission
    ) throws(CrosstieError) -> JoinCore {
        do throws(CrosstieError) {
            let source = try source(of: wormhole)
            do throws(CrosstieError) {
                let join = JoinCore(try CheckedOptions(options, of: bus), bus, admission, source)
                try join.start(source)
                source.dial(join)
                return join
            } catch {
                source.close()
                throw error
            }
        } catch {
            admission.end()
            throw error
        }
    }

    /// The exports are known before the first peer is: its greeting names them all.
    private func start(_ source: any PeerSource) throws(CrosstieError) {
        forwarder.add(self)
        announce()
        do throws(CrosstieError) {
            try source.start(self)
        } catch {
            forwarder.remove(self)
            throw error
        }
    }

    private static func source(of wormhole: WormholeCore) throws(CrosstieError) -> any PeerSource {
        if let peers = try ServerPeers.of(wormhole) { return peers }
        return try JoinThread(wormhole)
    }

    /// Options that were checked before anything is made: an initializer that throws would not free the locks.
    private struct CheckedOptions {
        let options: JoinOptions
        let exported: NameList
        let imported: NameList
        let forwarder: Forwarder
        let attendant: Attendant

        init(_ options: JoinOptions, of bus: Handle) throws(CrosstieError) {
            try options.check()
            self.options = options
            exported = try NameList(checking: options.exports, "exports", allowsAll: false)
            imported = try NameList(checking: options.imports, "imports", allowsAll: true)
            try BusRecord.checkDispatcher(bus, options.dispatcher)
            forwarder = try Forwarder.of(bus)
            attendant = try forwarder.attendant(options.dispatcher)
        }
    }

    private init(
        _ checked: CheckedOptions, _ bus: Handle, _ admission: Admission, _ source: any PeerSource
    ) {
        let options = checked.options
        (exported, imported, named) = (checked.exported, checked.imported, options.exports)
        (forwarder, attendant) = (checked.forwarder, checked.attendant)
        (self.bus, self.admission, self.source) = (bus, admission, source)
        name = options.name ?? source.name
        (dispatcher, isTrusted) = (options.dispatcher, options.isTrusted)
        (maximumCalls, maximumFrameSize) = (options.maximumCalls, options.maximumFrameSize)
        isServing = Atomic(!options.exports.isEmpty)
        usesSharedMemory = options.usesSharedMemory && SharedMemory.isPossible
        forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    }

    deinit {
        greeted.free()
        announcing.free()
        lock.free()
    }

    private func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// The most bytes of a frame to receive: two lists of names may need more than calls.
    var receiveLimit: Int { max(maximumFrameSize, 4 * NameList.maximumTotal) }

    /// The most bytes that wait for a peer that does not read.
    var mostWaiting: Int { max(4 << 20, 2 * maximumFrameSize) }

    // MARK: Names

    func imports(_ wanted: Wanted) -> Bool { imported.has(wanted) }

    func hasExported(_ wanted: Wanted) -> Bool { with { exported }.has(wanted) }

    /// The components and actions of a peer's exports that this bus imports.
    func imported(of exports: NameList) -> [String] { imported.covered(of: exports) }

    package func setExports(_ names: [String]) throws(CrosstieError) {
        try checkOpen()
        _ = try NameList(checking: names, "exports", allowsAll: false)
        with { named = names }
        announce()
    }

    /// Tells the peers what is exported: what the host has named, and the components that are exported by themselves.
    func announce() {
        let isWhole = announcing.with { () -> Bool in
            let offered = BusRecord.offeredComponents(bus)
            let named = with { self.named }
            let before = with { (exported.names, idempotent) }
            let names = NameList.fitting(named + offered.exported.filter { !named.contains($0) })
            let list = names == before.0 ? with { exported } : NameList(of: names)
            let again = NameList.fitting(offered.idempotent.filter { list.covers($0) })
            with { (exported, idempotent) = (list, Set(again)) }
            isServing.store(!list.names.isEmpty, ordering: .relaxed)
            if list.names != before.0 || Set(again) != before.1 {
                let frame = FrameWriter.exports(list.names, again)
                for peer in peers { _ = peer.send(frame) }
            }
            return list.covers(all: offered.exported)
        }
        if !isWhole { log(.warning, "there is no room for all exported components among the exports") }
    }

    /// Enters a connection, and greets the peer. False when this join has ended.
    func meet(_ peer: Peer) -> Bool {
        announcing.with {
            guard add(peer) else { return false }
            _ = peer.send(FrameWriter.hello(hello))
            return true
        }
    }

    // MARK: Calls of peers

    /// Counts a call of a peer. False when there are as many as the host allows.
    func enterCall() -> Bool {
        with {
            guard callCount < maximumCalls else { return false }
            callCount += 1
            return true
        }
    }

    func leaveCall() { with { callCount -= 1 } }

    // MARK: Peers

    var peers: [Peer] { with { allPeers } }

    package func describePeers() throws(CrosstieError) -> [Value] {
        try checkOpen()
        return peers.compactMap(\.description)
    }

    private func add(_ peer: Peer) -> Bool {
        with {
            if !hasLeft { allPeers.append(peer) }
            return !hasLeft
        }
    }

    func remove(_ peer: Peer) {
        with { allPeers.removeAll { $0 === peer } }
        greeted.broadcast()
        if let last = peer.lastDescription { notify(.left, of: peer, last) }
    }

    var hello: Hello {
        Hello(
            version: Frame.version, maximumFrameSize: maximumFrameSize, member: source?.member ?? 0,
            number: source?.number ?? 0, name: name, exports: with { exported }.names,
            idempotent: with { idempotent.sorted() })
    }

    /// Makes a peer known that has sent its greeting, if it may be one.
    func greet(_ peer: Peer, _ hello: Hello) -> Bool {
        let description = try? peer.describe(hello, isShort: false).makeRef()
        defer { description?.release() }
        guard source?.isMember(hello, peer) == true, let description, admits(description) else {
            peer.cutOff()
            return true
        }
        let others = peers
        peer.admit(hello, isUsed: !others.contains { $0 !== peer && $0.isSameJoin(as: hello) })
        with { greeted.broadcast() }
        if let known = peer.description { notify(.joined, of: peer, known) }
        return true
    }

    private func admits(_ description: ValueRef) -> Bool {
        guard let decide = admission.decide else { return true }
        var isAdmitted = false
        ThreadSlot.current.withCallback { isAdmitted = decide(description) }
        return isAdmitted
    }

    /// Waits until the peers of these connections are known, for a second at most.
    func waitForGreetings(_ dialed: [Peer]) {
        let deadline = Clock.deadline(milliseconds: 1000)
        lock.lock()
        defer { lock.unlock() }
        while dialed.contains(where: { peer in !peer.isGreeted && allPeers.contains { $0 === peer } }) {
            guard greeted.wait(lock, until: deadline) else { return }
        }
    }

    func log(_ level: LogLevel, _ line: String) { BusRecord.write(to: bus, level, "join \(name): \(line)") }

    // MARK: Notices

    /// Replaces the listener, and notifies it of the peers that are there. Nil: none.
    package func setListener(_ listener: PeerListener?) throws(CrosstieError) {
        try checkOpen()
        with { hasListener = listener != nil }
        let isStarted = callbacks.add { [self] in
            (self.listener, known) = (listener, [])
            for peer in peers { if let own = peer.description { deliver(.joined, of: peer, own) } }
        }
        guard isStarted else {
            try checkOpen()
            throw CrosstieError(.systemFailure, "no thread for the callbacks of a join")
        }
    }

    func notify(_ event: PeerEvent, of peer: Peer, _ description: Value) {
        guard with({ hasListener }) else { return }
        callbacks.add { [self] in deliver(event, of: peer, description) }
    }

    /// On the callback thread. The first event of a peer is that it has joined, once.
    private func deliver(_ event: PeerEvent, of peer: Peer, _ description: Value) {
        let key = ObjectIdentifier(peer)
        switch event {
        case .joined: guard known.insert(key).inserted else { return }
        case .left: guard known.remove(key) != nil else { return }
        case .changed: guard known.contains(key) else { return }
        }
        listener?.receive(event, description)
    }

    // MARK: Leaving

    package var isForked: Bool { forkCount != ProcessState.current.pointee.forkCount.load(ordering: .relaxed) }

    private func checkOpen() throws(CrosstieError) {
        if isForked { throw CrosstieError(.forked, "the bus was joined before a fork of this process") }
        guard !with({ hasLeft }) else { throw CrosstieError(.closed, "the bus has left the group") }
    }

    /// Leaves the group, after the answers that were given. Inside any callback the threads end by themselves: *pending*.
    package func leave() -> Status {
        if isForked { return .forked }
        let left = with { () -> [Peer]? in
            guard !hasLeft else { return nil }
            hasLeft = true
            defer { allPeers = [] }
            return allPeers
        }
        guard let left else { return .ok }
        forwarder.remove(self)
        for peer in left { peer.leave("the bus has left the group") }
        source?.sendRest(to: left)
        let waits = !ThreadSlot.current.isInCallback
        if with({ hasListener }) { callbacks.add { [self] in listener = nil } }
        callbacks.stop(waiting: waits)
        source?.stop(waiting: waits)
        return waits ? .ok : .pending
    }

    /// The last act of the join's thread.
    func finish() { admission.end() }
}
