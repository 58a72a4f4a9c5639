/// A join of a bus by an engine.
package final class EngineJoin: Sendable {
    private let wormhole: WormholeCore
    private let host: EngineHost
    private let number: UInt64

    fileprivate init(_ wormhole: WormholeCore, _ host: EngineHost, _ number: UInt64) {
        (self.wormhole, self.host, self.number) = (wormhole, host, number)
    }

    /// Connects to the other joins, which may happen before this returns.
    package func begin(maximumFrameSize: Int) throws(CrosstieError) {
        try wormhole.use { () throws(CrosstieError) in
            try host.engine.join(number, maximumFrameSize: maximumFrameSize)
        }
    }

    /// Sends a frame, or has the engine keep it: *busy* if it keeps more than `most` bytes, *peerGone* without that peer.
    package func send(_ frame: UnsafeRawBufferPointer, to peer: UInt64, most: Int) -> Status {
        guard !wormhole.isInsideItsTransport else { return .deadlock }
        return wormhole.useIfOpen { host.engine.sendFrame(number, peer, frame, most: most) } ?? .peerGone
    }

    package func disconnect(_ peer: UInt64) {
        guard !wormhole.isInsideItsTransport else { return }
        _ = wormhole.useIfOpen { host.engine.disconnect(number, peer) }
    }

    /// Ends it, after the frames that were sent. Once; nothing comes for it after this.
    package func leave() {
        _ = wormhole.useIfOpen {
            guard host.removeJoin(number) != nil else { return }
            wormhole.inTime { host.leave(number) }
        }
    }
}

extension WormholeCore {
    /// A join by the wormhole's engine; nil if it has none. It begins with ``EngineJoin/begin(maximumFrameSize:)``.
    ///
    /// - Throws: *unsupported* for an engine that does not join buses; *closed*, *forked*, *deadlock*.
    package func engineJoin(_ peers: any EnginePeers) throws(CrosstieError) -> EngineJoin? {
        try use { () throws(CrosstieError) in
            guard case .engine(let transport) = transport else { return nil }
            guard transport.abilities.contains(.joiningBuses) else {
                throw CrosstieError(.unsupported, "the engine of this wormhole does not join buses", at: "wormhole")
            }
            return EngineJoin(self, transport.host, transport.host.addJoin(peers))
        }
    }

    /// The name of this member.
    package var memberName: String {
        switch transport {
        case .records(let transport): String(decoding: transport.sender.name, as: UTF8.self)
        case .engine(let transport): String(decoding: transport.sender.name, as: UTF8.self)
        }
    }
}
