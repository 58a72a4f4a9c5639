/// The transport of a wormhole. It is no existential of the protocol: local groups would pay for witness tables, and
/// the compiler could inline none of their functions.
enum AnyTransport {
    case records(RecordTransport)
    case engine(EngineTransport)

    /// The transport of a group that keeps records; else nil.
    @inline(__always)
    var records: RecordTransport? { if case .records(let transport) = self { transport } else { nil } }
}

/// Options and messages.
extension AnyTransport {
    @inline(__always)
    var sendDefaults: SendDefaults {
        switch self {
        case .records(let transport): transport.sendDefaults
        case .engine(let transport): transport.sendDefaults
        }
    }

    @inline(__always)
    var hostTimeout: UInt64? {
        switch self {
        case .records(let transport): transport.hostTimeout
        case .engine(let transport): transport.hostTimeout
        }
    }

    @inline(__always)
    var abilities: Wormhole.Abilities {
        switch self {
        case .records(let transport): transport.abilities
        case .engine(let transport): transport.abilities
        }
    }

    @inline(__always)
    func write(_ changes: UnsafeBufferPointer<Change>) throws(CrosstieError) -> Receipt {
        switch self {
        case .records(let transport): try transport.write(changes)
        case .engine(let transport): try transport.write(changes)
        }
    }

    @inline(__always)
    func write(_ changes: [Change], _ token: StepToken) throws(CrosstieError) -> Receipt {
        switch self {
        case .records(let transport): try transport.write(changes, token)
        case .engine(let transport): try transport.write(changes, token)
        }
    }

    @inline(__always)
    func countProcesses(_ receipt: Receipt) -> UInt32 {
        switch self {
        case .records(let transport): transport.countProcesses(receipt)
        case .engine(let transport): transport.countProcesses(receipt)
        }
    }

    @inline(__always)
    func message(_ identifier: Identifier) throws(CrosstieError) -> Message? {
        switch self {
        case .records(let transport): try transport.message(identifier)
        case .engine(let transport): try transport.message(identifier)
        }
    }

    @inline(__always)
    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] {
        switch self {
        case .records(let transport): try transport.identifiers(topic)
        case .engine(let transport): try transport.identifiers(topic)
        }
    }

    @inline(__always)
    func members() throws(CrosstieError) -> [Wormhole.Member] {
        switch self {
        case .records(let transport): try transport.members()
        case .engine(let transport): try transport.members()
        }
    }

    /// The connection to the group's server.
    func connection() throws(CrosstieError) -> Wormhole.Connection {
        guard case .engine(let transport) = self, let connection = transport.host.connection.connection else {
            throw CrosstieError(.unsupported, "the group is on no server that could be connected to")
        }
        return connection
    }

    @inline(__always)
    func schedule(_ changes: [Change], until due: UInt64, _ token: StepToken?) throws(CrosstieError) -> UInt64 {
        switch self {
        case .records(let transport): try transport.schedule(changes, until: due, token)
        case .engine(let transport): try transport.schedule(changes, until: due, token)
        }
    }

    @inline(__always)
    func scheduled(_ topic: Topic) throws(CrosstieError) -> [Wormhole.Scheduled] {
        switch self {
        case .records(let transport): try transport.scheduled(topic)
        case .engine(let transport): try transport.scheduled(topic)
        }
    }

    @inline(__always)
    func cancelScheduled(_ number: UInt64) throws(CrosstieError) -> Bool {
        switch self {
        case .records(let transport): try transport.cancelScheduled(number)
        case .engine(let transport): try transport.cancelScheduled(number)
        }
    }
}
