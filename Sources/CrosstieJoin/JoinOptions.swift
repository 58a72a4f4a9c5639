/// Options of joining a bus to a group.
public struct JoinOptions: Sendable {
    /// The name for peers and people, at most 64 bytes; nil for the wormhole's.
    public var name: String?
    /// The names that peers may call: a component, or `component.action`.
    public var exports: [String] = []
    /// The names that this bus may call elsewhere, of the same form, or `*` for all.
    public var imports: [String] = []
    /// The dispatcher that runs calls of peers; empty for the component's, else the bus's default one.
    public var dispatcher = ""
    /// Whether requests of peers keep the origin that they have there; otherwise all of them are remote.
    public var isTrusted = false
    /// Whether frames travel by memory that two processes share, where the system allows that; else by sockets alone.
    public var usesSharedMemory = true
    /// Calls of all peers at a time, 1 to 1,048,576.
    public var maximumCalls = 1024
    /// Bytes of one call or answer: 4 KiB to 64 MiB.
    public var maximumFrameSize = 1 << 20
    /// Decides whether a process, described by a map, may become a peer; nil admits everyone. It is called on the join's
    /// thread, which receives nothing until it returns.
    public var admit: (@Sendable (Value) -> Bool)?

    public init() {}

    func check() throws(CrosstieError) {
        if let name {
            guard name.utf8.count <= Frame.Limit.nameSize else {
                throw CrosstieError(.limitExceeded, "a name has at most 64 bytes", at: "options.name")
            }
        }
        guard (1...1_048_576).contains(maximumCalls) else {
            throw CrosstieError(.limitExceeded, "\(maximumCalls) calls: 1 to 1048576", at: "options.max_calls")
        }
        guard (Frame.Limit.smallestLimit...Frame.Limit.largestLimit).contains(maximumFrameSize) else {
            throw CrosstieError(
                .limitExceeded, "a frame of \(maximumFrameSize) bytes: 4096 to 67108864", at: "options.max_frame_size")
        }
    }
}
