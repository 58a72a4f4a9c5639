internal import CPlatform
internal import Glibc

/// The thread that receives for a join, and its sockets. It sleeps until a peer sends or connects.
final class JoinThread: PeerSource, @unchecked Sendable {
    private let wormhole: WormholeCore
    private let directory: PeerDirectory
    /// Tells apart the joins of this process.
    let number: UInt32
    private let socketName: String
    private let listener: Int32
    private let poll: Int32
    private let wakeup: Int32
    private let lock = Lock()
    /// Held while a thread uses the directory, which the join's thread closes at its end.
    private let dialing = Lock()

    // Guarded by the lock.
    private var peers: [UInt64: Peer] = [:]
    private var lastToken: UInt64 = 1
    private var isStopping = false
    /// Peers whose frames in memory a worker has left to the thread.
    private var left: [UInt64] = []
    private var thread = pthread_t()

    private static var wakeupToken: UInt64 { 0 }
    private static var listenerToken: UInt64 { 1 }
    private static var maximumPeers: Int { 1024 }
    private nonisolated(unsafe) static let numbers = Lock()
    private nonisolated(unsafe) static var lastNumber: UInt32 = 0
    /// The joins of this process that may have a socket. Guarded by the lock of the numbers.
    private nonisolated(unsafe) static var present: Set<UInt32> = []

    /// Opens the socket that peers connect to.
    convenience init(_ wormhole: WormholeCore) throws(CrosstieError) {
        let directory = try wormhole.openPeers()
        do throws(CrosstieError) {
            try self.init(wormhole, directory)
        } catch {
            Glibc.close(directory.descriptor)
            throw error
        }
    }

    private init(_ wormhole: WormholeCore, _ directory: PeerDirectory) throws(CrosstieError) {
        (self.wormhole, self.directory) = (wormhole, directory)
        JoinThread.numbers.lock()
        JoinThread.lastNumber &+= 1
        number = JoinThread.lastNumber
        JoinThread.removeOldSockets(in: directory)
        JoinThread.present.insert(number)
        JoinThread.numbers.unlock()
        socketName = "\(directory.slot)-\(number)"
        listener = cp_socket_listen(directory.descriptor, socketName)
        guard listener >= 0 else {
            let failure = CrosstieError.system("make the socket \(socketName)", errno)
            JoinThread.forget(number)
            throw failure
        }
        poll = cp_poll_make()
        wakeup = cp_event_make()
        guard poll >= 0, wakeup >= 0, cp_poll_set(poll, wakeup, JoinThread.wakeupToken, false, true),
            cp_poll_set(poll, listener, JoinThread.listenerToken, false, true)
        else {
            let failure = CrosstieError.system("watch the sockets of a join", errno)
            for file in [listener, poll, wakeup] where file >= 0 { Glibc.close(file) }
            unlinkat(directory.descriptor, socketName, 0)
            JoinThread.forget(number)
            throw failure
        }
        for file in [directory.descriptor, listener, poll, wakeup] { HeldFiles.add(file) }
    }

    deinit {
        lock.free()
        dialing.free()
    }

    var name: String { directory.name }

    var member: UInt64 { directory.member }

    func isMember(_ hello: Hello, _ peer: Peer) -> Bool {
        peer.process.map { wormhole.isMember(hello.member, pid: $0.pid) } ?? false
    }

    private func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// The thread of a join, as its function gets it.
    private final class Start {
        let thread: JoinThread
        let join: JoinCore

        init(_ thread: JoinThread, _ join: JoinCore) { (self.thread, self.join) = (thread, join) }
    }

    func start(_ join: JoinCore) throws(CrosstieError) {
        let context = CallbackContext(holding: Start(self, join))
        let failure = LibraryThread.start(&thread, context.pointer) { raw in
            if let start = CallbackContext.object(raw, as: Start.self) { start.thread.run(start.join) }
            CallbackContext(adopting: raw).destroy()
            return nil
        }
        guard failure == 0 else {
            context.destroy()
            throw .system("start a thread", failure)
        }
    }

    func stop(waiting: Bool) {
        dialing.lock()
        unlinkat(directory.descriptor, socketName, 0)
        let own = with { () -> pthread_t in
            isStopping = true
            return thread
        }
        cp_event_set(wakeup)
        dialing.unlock()
        if waiting, pthread_equal(own, pthread_self()) == 0 { pthread_join(own, nil) } else { pthread_detach(own) }
    }

    func look(at peer: Peer) {
        with {
            guard !isStopping else { return }
            left.append(peer.token)
            cp_event_set(wakeup)
        }
    }

    private func takeLeft() -> [UInt64] {
        with {
            defer { left = [] }
            return left
        }
    }

    /// This is not left to the join's thread, for the process may end when the bus has left.
    func sendRest(to peers: [Peer]) {
        var behind = peers.compactMap(\.socket)
        let deadline = Clock.deadline(milliseconds: 2000)
        while true {
            behind = behind.filter { $0.sendWaiting() }
            let now = Clock.now()
            guard !behind.isEmpty, now < deadline else { return }
            var watched = behind.map { pollfd(fd: $0.file, events: Int16(POLLOUT), revents: 0) }
            _ = Glibc.poll(&watched, nfds_t(watched.count), Int32(clamping: (deadline - now) / 1_000_000 + 1))
        }
    }

    /// Closes the files, as the last act of the thread or where there is none.
    func close() {
        unlinkat(directory.descriptor, socketName, 0)
        JoinThread.forget(number)
        for file in [directory.descriptor, listener, poll, wakeup] {
            HeldFiles.remove(file)
            Glibc.close(file)
        }
    }

    // MARK: Connections

    /// Connects to the members that have joined.
    func dial(_ join: JoinCore) {
        var dialed: [Peer] = []
        dialing.lock()
        if !(with { isStopping }) {
            for name in JoinThread.socketNames(in: directory) where name != socketName {
                if let peer = connect(name, join) { dialed.append(peer) }
            }
        }
        dialing.unlock()
        join.waitForGreetings(dialed)
    }

    private static func forget(_ number: UInt32) {
        numbers.lock()
        present.remove(number)
        numbers.unlock()
    }

    /// Removes the sockets that processes left which had this process's slot and were killed: the slot is this one's now, so
    /// that they have no owner. Too many of them would hide those of peers. With the lock of the numbers.
    private static func removeOldSockets(in directory: PeerDirectory) {
        let prefix = "\(directory.slot)-"
        var removed: Int
        repeat {
            removed = 0
            for name in socketNames(in: directory, from: prefix) {
                if let number = UInt32(name.dropFirst(prefix.count)), present.contains(number) { continue }
                if unlinkat(directory.descriptor, name, 0) == 0 { removed += 1 }
            }
        } while removed > 0
    }

    /// The names of sockets that begin so, a bounded number of them.
    private static func socketNames(in directory: PeerDirectory, from prefix: String = "") -> [String] {
        let copy = openat(directory.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            if copy >= 0 { Glibc.close(copy) }
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream), names.count < maximumPeers {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.utf8.first.map(NameList.isDigit) == true, name.hasPrefix(prefix) { names.append(name) }
        }
        return names
    }

    /// A full queue means that its owner is busy accepting, or stopped; the latter is not waited for long.
    private func connect(_ name: String, _ join: JoinCore) -> Peer? {
        for _ in 0..<50 {
            let file = cp_socket_connect(directory.descriptor, name)
            if file >= 0 {
                let peer = adopt(file, join)
                peer?.offerMemory()
                return peer
            }
            guard errno == EAGAIN else { return nil }
            Clock.sleep(nanoseconds: 2_000_000)
        }
        join.log(.warning, "the member at \(name) does not accept connections")
        return nil
    }

    /// Takes a socket as a connection to a process of this user, and sends the greeting. Closes any other one.
    private func adopt(_ file: Int32, _ join: JoinCore) -> Peer? {
        var (pid, uid) = (Int32(0), UInt32.max)
        guard cp_socket_peer(file, &pid, &uid), uid == geteuid() else {
            Glibc.close(file)
            return nil
        }
        let token = with { () -> UInt64? in
            guard peers.count < JoinThread.maximumPeers, !isStopping else { return nil }
            lastToken += 1
            return lastToken
        }
        guard let token, let socket = PacketSocket(file, poll: poll, token: token) else {
            Glibc.close(file)
            return nil
        }
        let peer = Peer(socket, of: join, token: token, pid: pid, uid: uid)
        with { peers[token] = peer }
        guard join.meet(peer) else {
            peer.cutOff()
            return nil
        }
        return peer
    }

    // MARK: The thread

    private func run(_ join: JoinCore) {
        LibraryThread.begin("crosstie-join")
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.Packet.size, alignment: 8)
        defer { room.deallocate() }
        var (token, reads, writes) = (UInt64(0), false, false)
        // Peers that have more frames in memory than they may have handled in their turn.
        var again: [UInt64] = []
        while true {
            let sleeps = again.isEmpty
            let count = LibraryThread.rest { cp_poll_wait(poll, sleeps, &token, &reads, &writes) }
            guard count >= 0 else { break }
            let next = again.isEmpty ? nil : again.removeFirst()
            if let next, receive(next, room, join) { again.append(next) }
            guard count > 0 else { continue }
            if token == JoinThread.wakeupToken {
                // In this order, because an event after the clearing wakes the thread again.
                cp_event_clear(wakeup)
                SchedulePoint.pass()
                if with({ isStopping }) { break }
                again += takeLeft()
            } else if token == JoinThread.listenerToken {
                accept(join)
            } else {
                if writes { with({ peers[token] })?.socket?.sendWaiting() }
                if reads, receive(token, room, join), !again.contains(token) { again.append(token) }
            }
        }
        let rest = with { () -> [Peer] in
            isStopping = true
            defer { peers = [:] }
            return Array(peers.values)
        }
        for peer in rest {
            join.attendant.remove(peer)
            peer.end(.closed, "the bus has left the group")
            peer.socket?.close()
        }
        close()
        join.finish()
    }

    private func accept(_ join: JoinCore) {
        while true {
            let file = cp_socket_accept(listener)
            if file >= 0 {
                _ = adopt(file, join)
            } else {
                // Without descriptors the queue stays as it is, and would keep this thread awake.
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM { Clock.sleep(nanoseconds: 10_000_000) }
                return
            }
        }
    }

    /// Receives a few packets of a peer, so that it does not keep the others waiting, and what is in memory. True if there
    /// may be more in memory.
    private func receive(_ token: UInt64, _ room: UnsafeMutableRawBufferPointer, _ join: JoinCore) -> Bool {
        guard let peer = with({ peers[token] }), let socket = peer.socket else { return false }
        for _ in 0..<16 {
            let reception = socket.receive(room, limit: join.receiveLimit) { peer.receiveFromSocket($0) }
            switch reception {
            case .frame, .part, .wakeup: continue
            case .nothing: break
            case .ended:
                _ = peer.takeFrames()
                peer.takeAnswers()
                if peer.doesNotRead { join.log(.warning, "\(peer.title) does not read its answers, and is cut off") }
                drop(peer, token, join, .peerGone, "\(peer.title) ended before it answered")
                return false
            case .broken: return cutOff(peer, token, join)
            }
            break
        }
        switch peer.takeFrames() {
        case .done: return false
        case .more: return true
        case .broken: return cutOff(peer, token, join)
        }
    }

    private func cutOff(_ peer: Peer, _ token: UInt64, _ join: JoinCore) -> Bool {
        peer.breakForm()
        drop(peer, token, join, .corruptData, "")
        return false
    }

    private func drop(_ peer: Peer, _ token: UInt64, _ join: JoinCore, _ status: Status, _ message: String) {
        with { peers[token] = nil }
        join.remove(peer)
        join.attendant.remove(peer)
        peer.end(status, message)
        peer.socket?.close()
    }
}
