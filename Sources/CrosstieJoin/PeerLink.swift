/// The way of frames to one peer.
protocol PeerLink: AnyObject, Sendable {
    /// Whether it leads to a process of this machine: with descriptors, and with shared memory.
    var isLocal: Bool { get }

    /// Whether frames wait for room.
    var isBehind: Bool { get }

    /// Sends a frame, or keeps it. Returns *busy* if more than `most` bytes are kept already, or too many descriptors that
    /// no process has received yet; and *peerGone* if the connection has ended.
    func send(_ frame: [UInt8], _ descriptors: [Descriptor], most: Int) -> Status

    /// Tells the peer of frames in shared memory.
    func wake()

    /// Ends the connection: the peer sees its end after what was sent.
    func shutDown()
}
