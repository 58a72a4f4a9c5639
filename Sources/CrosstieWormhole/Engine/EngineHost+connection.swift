internal import CCrosstie

/// The engine's connection to its server, and why its functions fail.
extension EngineHost {
    /// Notes why the function of the engine that runs on this thread is about to fail.
    func explain(_ reason: ctie_str) {
        let reason = EngineBytes.line(reason)
        if !isForked, !reason.isEmpty { ThreadSlot.current.explain(reason) }
    }

    /// Notes the connection, for those who ask and those who listen.
    func noteConnection(_ given: UnsafeRawPointer) {
        if isForked { return }
        do throws(CrosstieError) {
            let now = try EngineStructs.one(given, as: ctie_engine_connection.self)
            guard let state = Wormhole.Connection.State(number: now.state) else {
                throw .ofEngine("has a connection of an unknown state")
            }
            setConnection(
                Wormhole.Connection(
                    state: state, since: now.since, server: EngineBytes.line(now.server),
                    version: EngineBytes.line(now.version), reason: EngineBytes.line(now.reason)))
        } catch {
            report(error)
        }
    }
}

extension Wormhole.Connection.State {
    fileprivate init?(number: Int32) {
        switch Int(number) {
        case CTIE_CONNECTION_CONNECTED: self = .connected
        case CTIE_CONNECTION_RECONNECTING: self = .reconnecting
        case CTIE_CONNECTION_CLOSED: self = .closed
        default: return nil
        }
    }
}
