/// The source of a join's peers, and the thread that receives from them.
protocol PeerSource: AnyObject, Sendable {
    /// The name of the wormhole.
    var name: String { get }
    /// The number of this member of the group.
    var member: UInt64 { get }
    /// Tells apart the joins of this member.
    var number: UInt32 { get }

    /// Starts the thread, after which peers may come.
    func start(_ join: JoinCore) throws(CrosstieError)

    /// Connects to the joins that are there, and waits for their greetings.
    func dial(_ join: JoinCore)

    /// Whether a peer is the member that it claims to be.
    func isMember(_ hello: Hello, _ peer: Peer) -> Bool

    /// Has the thread look at frames of a peer in memory.
    func look(at peer: Peer)

    /// Sends what the connections had no room for, as long as peers read: for two seconds at most.
    func sendRest(to peers: [Peer])

    /// Ends the thread, which closes the connections.
    func stop(waiting: Bool)

    /// Releases everything where there is no thread.
    func close()
}
