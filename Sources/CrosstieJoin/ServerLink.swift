/// The way of frames to a peer of another join that a server connects.
final class ServerLink: PeerLink {
    private let join: EngineJoin
    private let peer: UInt64

    init(_ join: EngineJoin, _ peer: UInt64) { (self.join, self.peer) = (join, peer) }

    var isLocal: Bool { false }

    var isBehind: Bool { false }

    func send(_ frame: [UInt8], _ descriptors: [Descriptor], most: Int) -> Status {
        guard descriptors.isEmpty else { return .foreignValue }
        return frame.withUnsafeBytes { join.send($0, to: peer, most: most) }
    }

    func wake() {}

    func shutDown() { join.disconnect(peer) }
}
