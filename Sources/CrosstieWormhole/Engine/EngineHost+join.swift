internal import CCrosstie

/// The joins of an engine, and what it says of their peers.
extension EngineHost {
    /// Gives the number of a new one.
    func addJoin(_ peers: any EnginePeers) -> UInt64 {
        let number = nextNumber()
        withJoins { $0[number] = peers }
        return number
    }

    func removeJoin(_ number: UInt64) -> (any EnginePeers)? { withJoins { $0.removeValue(forKey: number) } }

    /// A failure of the engine is only logged.
    func leave(_ number: UInt64) {
        do throws(CrosstieError) {
            try engine.leave(number)
        } catch {
            log.write(.warning, error.message)
        }
    }

    /// Before the engine closes.
    func endJoins() {
        let joins = withJoins { joins in
            defer { joins = [:] }
            return joins
        }
        for (number, peers) in joins {
            leave(number)
            peers.ended()
        }
    }

    /// The join of a number, for a thread of the engine.
    private func peers(_ join: UInt64) -> (any EnginePeers)? {
        if isForked { return nil }
        return withJoins { $0[join] }
    }

    func peerConnected(_ join: UInt64, _ peer: UInt64) { peers(join)?.connected(peer) }

    func peerFrame(_ join: UInt64, _ peer: UInt64, _ frame: ctie_bytes) {
        guard let peers = peers(join) else { return }
        guard let bytes = EngineBytes.bytes(frame), !bytes.isEmpty else {
            return report(.ofEngine("received an impossible frame"))
        }
        peers.received(peer, bytes)
    }

    func peerDisconnected(_ join: UInt64, _ peer: UInt64, _ reason: ctie_str) {
        peers(join)?.disconnected(peer, EngineBytes.line(reason))
    }

    func peerHasRequests(_ join: UInt64, _ peer: UInt64) -> Bool { peers(join)?.hasRequests(peer) ?? false }
}
