internal import CPlatform
internal import Glibc

/// A carrier of frames: a local socket that keeps the bounds of packets. A frame is one packet or several, each with a
/// byte before it that says whether more follow. Another byte says that there are frames in shared memory.
final class PacketSocket: PeerLink, @unchecked Sendable {
    let file: Int32
    private let poll: Int32
    private let token: UInt64
    private let lock = Lock()
    // Guarded by the lock.
    private var isOpen = true
    /// The frames that the socket had no room for, the first of them sent up to an offset.
    private var waiting: [Packets] = []
    private var firstOffset = 0
    private var waitingSize = 0

    // Only for the thread that receives.
    private var partial: [UInt8] = []
    /// The descriptors that came with the last packet.
    private var received = cp_received()

    /// Takes the socket, and has a poll watch it under a token.
    init?(_ file: Int32, poll: Int32, token: UInt64) {
        (self.file, self.poll, self.token) = (file, poll, token)
        guard cp_poll_set(poll, file, token, false, true) else { return nil }
        HeldFiles.add(file)
    }

    deinit { lock.free() }

    var isLocal: Bool { true }

    /// A frame to be sent, after a packet with the descriptors that it names.
    private struct Packets {
        let frame: [UInt8]
        var descriptors: [Descriptor]
    }

    /// Sends a frame, or queues what the socket has no room for. Returns *busy* if more than `most` bytes wait already, or
    /// too many descriptors that no process has received yet; and *peerGone* if the connection has ended.
    func send(_ frame: [UInt8], _ descriptors: [Descriptor], most: Int) -> Status {
        lock.lock()
        defer { lock.unlock() }
        guard isOpen else { return .peerGone }
        var packets = Packets(frame: frame, descriptors: descriptors)
        guard waiting.isEmpty else {
            guard waitingSize <= most else { return .busy }
            waiting.append(packets)
            waitingSize += frame.count
            return .ok
        }
        switch transmit(&packets, from: 0) {
        case .failed: return .peerGone
        case .refused: return .busy
        case .all: return .ok
        case .until(let offset):
            waiting.append(packets)
            (firstOffset, waitingSize) = (offset, frame.count - offset)
            _ = cp_poll_set(poll, file, token, true, false)
            return .ok
        }
    }

    /// Sends a short frame with a descriptor, which the caller closes. False if that is not possible now.
    func send(_ frame: [UInt8], with descriptor: Int32) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard isOpen, waiting.isEmpty else { return false }
        return frame.withUnsafeBytes {
            cp_socket_send_with(file, Frame.Packet.last, $0.baseAddress, $0.count, [descriptor], 1) == 0
        }
    }

    /// Tells the peer of frames in shared memory. If the socket has no room, the peer will look there with what it reads.
    func wake() {
        lock.lock()
        defer { lock.unlock() }
        if isOpen { _ = cp_socket_send(file, Frame.Packet.wakeup, nil, 0) }
    }

    /// Whether frames wait for room.
    var isBehind: Bool {
        lock.lock()
        defer { lock.unlock() }
        return !waiting.isEmpty
    }

    /// Sends what waits, as far as there is room. True if more can be sent when there is room again.
    @discardableResult
    func sendWaiting() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard isOpen else { return false }
        var sent = 0
        defer { waiting.removeFirst(sent) }
        while sent < waiting.count {
            switch transmit(&waiting[sent], from: firstOffset) {
            case .failed: return false
            case .refused:
                // Its caller does not wait for this, and the peer would not miss the frame.
                shutdown(file, Int32(SHUT_RDWR))
                return false
            case .all:
                waitingSize -= waiting[sent].frame.count - firstOffset
                firstOffset = 0
                sent += 1
            case .until(let offset):
                waitingSize -= offset - firstOffset
                firstOffset = offset
                return true
            }
        }
        _ = cp_poll_set(poll, file, token, false, false)
        return false
    }

    private enum Transmission {
        case all, until(Int), failed
        /// Nothing was sent: there are too many descriptors on their way.
        case refused
    }

    private func transmit(_ packets: inout Packets, from start: Int) -> Transmission {
        let frame = packets.frame
        var offset = start
        if !packets.descriptors.isEmpty {
            let failure = announce(packets.descriptors)
            if failure == EAGAIN { return .until(offset) }
            guard failure == 0 else { return failure == ETOOMANYREFS ? .refused : .failed }
            packets.descriptors = []
        }
        while true {
            let size = min(frame.count - offset, Frame.Packet.size - 1)
            let isLast = offset + size == frame.count
            let failure = frame.withUnsafeBytes { bytes in
                cp_socket_send(
                    file, isLast ? Frame.Packet.last : Frame.Packet.part, bytes.baseAddress.map { $0 + offset }, size)
            }
            guard failure == 0 else { return failure == EAGAIN ? .until(offset) : .failed }
            offset += size
            if isLast { return .all }
        }
    }

    /// Sends the packet with descriptors for the frame behind it. 0, or the system's error.
    private func announce(_ descriptors: [Descriptor]) -> Int32 {
        FrameWriter.descriptors(descriptors.count).withUnsafeBytes {
            cp_socket_send_with(
                file, Frame.Packet.last, $0.baseAddress, $0.count, descriptors.map(\.file), descriptors.count)
        }
    }

    /// The result of reading one packet.
    enum Reception {
        case nothing, frame, part
        /// There are frames in shared memory.
        case wakeup
        /// The connection has ended, or broke the form.
        case ended, broken
    }

    /// Receives a packet and calls `body` with the frame that it completes.
    ///
    /// - Parameters:
    ///   - room: memory for one packet.
    ///   - limit: the most bytes of a frame.
    func receive(
        _ room: UnsafeMutableRawBufferPointer, limit: Int, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Reception {
        dropDescriptors()
        let size = Int(clamping: cp_socket_receive_with(file, room.baseAddress, room.count, &received))
        if size == -Int(EAGAIN) { return .nothing }
        guard size > 0 else { return .ended }
        if room[0] != Frame.Packet.last, descriptorCount > 0 { return .broken }
        if size == 1, room[0] == Frame.Packet.wakeup { return .wakeup }
        guard size <= room.count, size - 1 <= limit - partial.count else { return .broken }
        let packet = UnsafeRawBufferPointer(rebasing: room[1..<size])
        guard room[0] == Frame.Packet.last else {
            // A packet without a byte would let a frame go on for ever.
            guard room[0] == Frame.Packet.part, size > 1 else { return .broken }
            partial.append(contentsOf: packet)
            return .part
        }
        guard !partial.isEmpty else { return body(packet) ? .frame : .broken }
        partial.append(contentsOf: packet)
        let frame = partial
        partial = []
        return frame.withUnsafeBytes(body) ? .frame : .broken
    }

    /// The number of descriptors that came with the packet which is being received, and were not taken.
    var descriptorCount: Int { Int(received.count) }

    /// Whether this process, or a packet, had no room for some descriptors.
    var lacksDescriptors: Bool { received.isCut }

    /// Takes the descriptors that came with the frame which is being received; the caller closes them.
    func takeDescriptors() -> [Int32] {
        defer { received.count = 0 }
        return withUnsafeBytes(of: received.files) { Array($0.bindMemory(to: Int32.self).prefix(descriptorCount)) }
    }

    private func dropDescriptors() {
        for file in takeDescriptors() { Glibc.close(file) }
    }

    /// Ends the connection: the other side sees its end after what was sent.
    func shutDown() {
        lock.lock()
        if isOpen { shutdown(file, Int32(SHUT_RDWR)) }
        lock.unlock()
    }

    /// Closes the socket. Only for the thread that receives, as its last use.
    func close() {
        lock.lock()
        defer { lock.unlock() }
        guard isOpen else { return }
        isOpen = false
        dropDescriptors()
        (waiting, waitingSize) = ([], 0)
        HeldFiles.remove(file)
        Glibc.close(file)
    }
}
