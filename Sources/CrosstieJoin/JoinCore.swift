internal import Glibc

/// A bus's membership in a group: its socket, its peers, and the limits of their calls.
package final class JoinCore: @unchecked Sendable {
    let bus: Handle
    let wormhole: WormholeCore
    let name: String
    let dispatcher: String
    let isTrusted: Bool
    let maximumCalls: Int
    let maximumFrameSize: Int
    let progress = ProgressThread()
    private let imported: NameList
    private let admission: Admission
    private let forwarder: Forwarder
    private let forkCount: UInt32
    let lock = Lock()
    private let greeted = Condition()

    // Guarded by the lock.
    private var exported: NameList
    private var allPeers: [Peer] = []
    private var callCount = 0
    private var hasLeft = false
    /// Set once, before anybody else has the object.
    var thread: JoinThread?

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
            let peers = try wormhole.openPeers()
            let thread: JoinThread
            do throws(CrosstieError) {
                thread = try JoinThread(peers)
            } catch {
                close(peers.descriptor)
                throw error
            }
            do throws(CrosstieError) {
                let join = try JoinCore(bus, wormhole, options, admission, thread)
                try thread.start(join)
                join.forwarder.add(join)
                thread.dial(join)
                return join
            } catch {
                thread.close()
                throw error
            }
        } catch {
            admission.end()
            throw error
        }
    }

    private init(
        _ bus: Handle, _ wormhole: WormholeCore, _ options: JoinOptions, _ admission: Admission, _ thread: JoinThread
    ) throws(CrosstieError) {
        try options.check()
        exported = try NameList(checking: options.exports, "exports", allowsAll: false)
        imported = try NameList(checking: options.imports, "imports", allowsAll: true)
        try BusRecord.checkDispatcher(bus, options.dispatcher)
        forwarder = try Forwarder.of(bus)
        (self.bus, self.wormhole, self.admission, self.thread) = (bus, wormhole, admission, thread)
        name = options.name ?? thread.directory.name
        (dispatcher, isTrusted) = (options.dispatcher, options.isTrusted)
        (maximumCalls, maximumFrameSize) = (options.maximumCalls, options.maximumFrameSize)
        forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    }

    deinit {
        greeted.free()
        lock.free()
    }

    private func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// The most bytes of a frame to receive: names may need more than calls.
    var receiveLimit: Int { max(maximumFrameSize, 2 * NameList.maximumTotal) }

    /// The most bytes that wait for a peer that does not read.
    var mostWaiting: Int { max(4 << 20, 2 * maximumFrameSize) }

    // MARK: Names

    func imports(_ wanted: Wanted) -> Bool { imported.has(wanted) }

    func hasExported(_ wanted: Wanted) -> Bool { with { exported }.has(wanted) }

    /// The components and actions of a peer's exports that this bus imports.
    func imported(of exports: NameList) -> [String] { imported.covered(of: exports) }

    package func setExports(_ names: [String]) throws(CrosstieError) {
        try checkOpen()
        let list = try NameList(checking: names, "exports", allowsAll: false)
        with { exported = list }
        let frame = FrameWriter.exports(names)
        for peer in peers { _ = peer.send(frame) }
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

    /// Enters a connection. False when this join has ended.
    func add(_ peer: Peer) -> Bool {
        with {
            if !hasLeft { allPeers.append(peer) }
            return !hasLeft
        }
    }

    func remove(_ peer: Peer) {
        with { allPeers.removeAll { $0 === peer } }
        greeted.broadcast()
    }

    var hello: Hello {
        Hello(
            version: Frame.version, maximumFrameSize: maximumFrameSize, member: thread?.directory.member ?? 0,
            number: thread?.number ?? 0, name: name, exports: with { exported }.names)
    }

    /// Makes a peer known that has sent its greeting, if it may be one.
    func greet(_ peer: Peer, _ hello: Hello) -> Bool {
        let description = try? peer.describe(hello, isShort: false).makeRef()
        defer { description?.release() }
        guard wormhole.isMember(hello.member, pid: peer.pid), let description, admits(description) else {
            peer.cutOff()
            return true
        }
        let others = peers
        peer.admit(hello, isUsed: !others.contains { $0 !== peer && $0.isSameJoin(as: hello) })
        with { greeted.broadcast() }
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

    // MARK: Leaving

    package var isForked: Bool { forkCount != ProcessState.current.pointee.forkCount.load(ordering: .relaxed) }

    private func checkOpen() throws(CrosstieError) {
        if isForked { throw CrosstieError(.forked, "the bus was joined before a fork of this process") }
        guard !with({ hasLeft }) else { throw CrosstieError(.closed, "the bus has left the group") }
    }

    /// Leaves the group. Inside any callback the threads end by themselves: *pending*.
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
        for peer in left {
            peer.end(.closed, "the bus has left the group", farewell: FrameWriter(.goodbye).bytes)
        }
        let waits = !ThreadSlot.current.isInCallback
        progress.stop(waiting: waits)
        thread?.stop(waiting: waits)
        return waits ? .ok : .pending
    }

    /// The last act of the join's thread.
    func finish() { admission.end() }
}
