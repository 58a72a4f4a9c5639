/// News of an engine about the peers of a join, in their order, until the join's thread takes them. The bytes that wait are
/// bounded: a peer that sends more is noted as such, and what it sends after that is dropped with it.
final class PeerNews: EnginePeers, @unchecked Sendable {
    private let lock = Lock()
    private let changed = Condition()
    // Guarded by the lock.
    private weak var owner: ServerPeers?
    private var items: [Item] = []
    private var size = 0
    private var limit = 0
    private var isOver = false
    private var isHandling = false

    /// Those that the thread has taken together, and how many of them it has handled. Only for the thread.
    private var taken: [Item] = []
    private var handledCount = 0

    /// One of them.
    struct Item {
        let peer: UInt64
        let content: Content
    }

    enum Content {
        case connected, frame([UInt8]), flooded, disconnected(String)
    }

    deinit {
        changed.free()
        lock.free()
    }

    /// The bytes of frames that may wait.
    func open(_ owner: ServerPeers, limit: Int) { lock.with { (self.owner, self.limit) = (owner, limit) } }

    // MARK: The join

    /// The next one; nil at the end.
    func next() -> Item? {
        if handledCount == taken.count {
            guard take() else { return nil }
        }
        defer { handledCount += 1 }
        return taken[handledCount]
    }

    /// Takes all that have come; waits for one. False at the end.
    private func take() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        isHandling = false
        while items.isEmpty, !isOver {
            changed.broadcast()
            _ = LibraryThread.rest { changed.wait(lock) }
        }
        (taken, handledCount, size, isHandling) = (isOver ? [] : items, 0, 0, !isOver)
        items = []
        return !isOver
    }

    /// Waits until the thread has handled what has come.
    func drain() {
        lock.lock()
        defer { lock.unlock() }
        let deadline = Clock.deadline(milliseconds: 1000)
        while !isOver, isHandling || !items.isEmpty {
            guard changed.wait(lock, until: deadline) else { return }
        }
    }

    func stop() {
        lock.with {
            isOver = true
            changed.broadcast()
        }
    }

    // MARK: The engine

    private func add(_ peer: UInt64, _ content: Content) {
        lock.with {
            guard !isOver else { return }
            items.append(Item(peer: peer, content: content))
            if items.count == 1 { changed.broadcast() }
        }
    }

    func connected(_ peer: UInt64) { add(peer, .connected) }

    func received(_ peer: UInt64, _ frame: UnsafeRawBufferPointer) {
        let isTooMuch = lock.with { () -> Bool in
            size += frame.count
            guard size > limit else { return false }
            size -= frame.count
            return true
        }
        add(peer, isTooMuch ? .flooded : .frame(Array(frame)))
    }

    func disconnected(_ peer: UInt64, _ reason: String) { add(peer, .disconnected(reason)) }

    func hasRequests(_ peer: UInt64) -> Bool { lock.with { owner }?.peer(peer)?.hasRequests ?? false }

    func ended() { stop() }
}
