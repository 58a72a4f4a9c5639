/// A join, as threads of its engine see it. No function waits, or calls the engine.
package protocol EnginePeers: AnyObject, Sendable {
    /// A new connection, under a number that no other one of the join has.
    func connected(_ peer: UInt64)

    /// A frame, which is borrowed. A peer's frames come in order.
    func received(_ peer: UInt64, _ frame: UnsafeRawBufferPointer)

    func disconnected(_ peer: UInt64, _ reason: String)

    /// Whether requests are in hand with a peer.
    func hasRequests(_ peer: UInt64) -> Bool

    /// The wormhole is closed: there is no peer any more, and none will come.
    func ended()
}
