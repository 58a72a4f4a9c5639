internal import CPlatform
internal import Glibc
import Synchronization

/// The inboxes that an idle worker of a dispatcher watches: a call from a peer wakes the worker that runs it, and no
/// other thread.
final class Attendant: Attendance, @unchecked Sendable {
    private let lock = Lock()
    // Guarded by the lock.
    private var peers: [Peer] = []
    private var isTaken = false
    /// Whether the process has been forbidden to wait for several words.
    private var isForbidden = false

    /// Only for the worker that attends.
    private var attended: [(peer: Peer, inbox: Inbox)] = []
    private var watched: [cp_watched] = []

    /// The most inboxes that one thread can sleep on. The others wake the join's thread.
    private static var most: Int { 64 }

    deinit { lock.free() }

    private func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    func add(_ peer: Peer) { with { peers.append(peer) } }

    func remove(_ peer: Peer) {
        with { peers.removeAll { $0 === peer } }
        peer.memory.inbox?.end()
    }

    // MARK: The worker

    func begin() -> Bool {
        let peers = with { () -> ArraySlice<Peer> in
            guard !isTaken, !isForbidden, !self.peers.isEmpty else { return [] }
            isTaken = true
            return self.peers.prefix(Attendant.most)
        }
        guard !peers.isEmpty else { return false }
        for peer in peers where peer.join.isServing.load(ordering: .relaxed) {
            // While frames come by the socket, the join's thread reads them, and a worker would find nothing to take.
            guard let inbox = peer.memory.inbox, !inbox.hasEnded, !peer.memory.readsSocket else { continue }
            attended.append((peer, inbox))
        }
        for each in attended { each.inbox.become(.awake) }
        if attended.isEmpty { with { isTaken = false } }
        return !attended.isEmpty
    }

    var hasNews: Bool {
        for each in attended where each.inbox.hasNews { return true }
        return false
    }

    func sleep(on word: UnsafeRawPointer, until deadline: UInt64) -> Bool {
        watched.removeAll(keepingCapacity: true)
        for each in attended {
            each.inbox.become(.sleeps)
            watched.append(each.inbox.wakeup)
        }
        let now = Clock.now()
        guard !hasNews, now < deadline else { return true }
        let own = cp_watched(word: word, expected: 0)
        let woken = cp_wait_beside(own, watched, watched.count, deadline - now)
        if woken == -ENOSYS || woken == -EPERM { with { isForbidden = true } }
        return woken != -ETIMEDOUT
    }

    func receive() -> Bool {
        var hasReceived = false
        for each in attended where each.peer.takeCalls(from: each.inbox) { hasReceived = true }
        attended.removeAll(keepingCapacity: true)
        with { isTaken = false }
        return hasReceived
    }
}
