internal import CPlatform
internal import Glibc
import Synchronization

/// The peers of a join by an engine. News of them wait for the thread of the join.
final class ServerPeers: PeerSource, @unchecked Sendable {
    let name: String
    let member: UInt64
    private let news: PeerNews
    private let way: EngineJoin
    private var thread = pthread_t()
    private let lock = Lock()
    // Guarded by the lock.
    private var peers: [UInt64: Peer] = [:]

    private static let lastNumber = Atomic<UInt32>(0)
    let number = ServerPeers.lastNumber.add(1, ordering: .relaxed).newValue

    private static var maximumPeers: Int { 1024 }

    /// Those of a wormhole; nil for one without an engine.
    static func of(_ wormhole: WormholeCore) throws(CrosstieError) -> ServerPeers? {
        let news = PeerNews()
        return try wormhole.engineJoin(news).map { ServerPeers(wormhole.memberName, news, $0) }
    }

    /// It does not fail: an initializer that does would not free the lock.
    private init(_ name: String, _ news: PeerNews, _ way: EngineJoin) {
        (self.name, self.news, self.way) = (name, news, way)
        // No process of a group on a server has a number of its own, so it is drawn.
        var drawn: UInt64 = 0
        _ = cp_random_bytes(&drawn, MemoryLayout.size(ofValue: drawn))
        member = drawn >> 1
    }

    deinit { lock.free() }

    func isMember(_ hello: Hello, _ peer: Peer) -> Bool { true }

    func look(at peer: Peer) {}

    /// The engine does, before ``stop(waiting:)`` returns.
    func sendRest(to peers: [Peer]) {}

    func close() { way.leave() }

    // MARK: The thread

    /// The thread of a join, as its function gets it.
    private final class Start {
        let peers: ServerPeers
        let join: JoinCore

        init(_ peers: ServerPeers, _ join: JoinCore) { (self.peers, self.join) = (peers, join) }
    }

    func start(_ join: JoinCore) throws(CrosstieError) {
        news.open(self, limit: 4 * join.receiveLimit + join.mostWaiting)
        let context = CallbackContext(holding: Start(self, join))
        let failure = LibraryThread.start(&thread, context.pointer) { raw in
            if let start = CallbackContext.object(raw, as: Start.self) { start.peers.run(start.join) }
            CallbackContext(adopting: raw).destroy()
            return nil
        }
        guard failure == 0 else {
            context.destroy()
            throw .system("start a thread", failure)
        }
        do throws(CrosstieError) {
            try way.begin(maximumFrameSize: join.receiveLimit)
        } catch {
            news.stop()
            pthread_join(thread, nil)
            throw error
        }
    }

    func dial(_ join: JoinCore) {
        news.drain()
        join.waitForGreetings(lock.with { Array(peers.values) })
    }

    func stop(waiting: Bool) {
        way.leave()
        news.stop()
        let joins = waiting && pthread_equal(thread, pthread_self()) == 0
        if joins { pthread_join(thread, nil) } else { pthread_detach(thread) }
    }

    private func run(_ join: JoinCore) {
        LibraryThread.begin("crosstie-join")
        while let each = news.next() { handle(each, join) }
        let rest = lock.with { () -> [Peer] in
            defer { peers = [:] }
            return Array(peers.values)
        }
        for peer in rest {
            join.remove(peer)
            peer.end(.closed, "the bus has left the group")
        }
        join.finish()
    }

    private func handle(_ news: PeerNews.Item, _ join: JoinCore) {
        let known = peer(news.peer)
        switch news.content {
        case .connected:
            if known == nil { connect(news.peer, join) }
        case .frame(let bytes):
            guard let known, !bytes.withUnsafeBytes({ known.receive($0) }) else { return }
            known.breakForm()
            drop(known, join, .corruptData, "")
        case .flooded:
            guard let known else { return }
            join.log(.warning, "\(known.title) sends faster than this process receives, and is cut off")
            known.cutOff()
            drop(known, join, .corruptData, "\(known.title) sends too fast")
        case .disconnected(let reason):
            if let known { drop(known, join, .peerGone, "\(known.title) has ended: \(reason)") }
        }
    }

    private func connect(_ number: UInt64, _ join: JoinCore) {
        guard lock.with({ peers.count }) < ServerPeers.maximumPeers else { return way.disconnect(number) }
        let peer = Peer(ServerLink(way, number), of: join, token: number)
        lock.with { peers[number] = peer }
        if !join.meet(peer) { peer.cutOff() }
    }

    private func drop(_ peer: Peer, _ join: JoinCore, _ status: Status, _ message: String) {
        lock.with { peers[peer.token] = nil }
        join.remove(peer)
        peer.end(status, message)
    }

    func peer(_ number: UInt64) -> Peer? { lock.with { peers[number] } }
}
