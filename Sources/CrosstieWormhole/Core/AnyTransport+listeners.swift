/// Listeners and durable consumers.
extension AnyTransport {
    @inline(__always)
    func feed(_ topic: Topic, _ options: ListenOptions) -> any Feed {
        switch self {
        case .records(let transport): transport.feed(topic, options)
        case .engine(let transport): transport.feed(topic, options)
        }
    }

    @inline(__always)
    func memberFeed(_ options: ListenOptions) -> any Feed {
        switch self {
        case .records(let transport): transport.memberFeed(options)
        case .engine(let transport): transport.memberFeed(options)
        }
    }

    /// The source of the messages of a listener to the connection to the group's server.
    func connectionFeed(_ options: ListenOptions) throws(CrosstieError) -> any Feed {
        _ = try connection()
        guard case .engine(let transport) = self else { throw CrosstieError(.unsupported, "the group is on no server") }
        return EngineConnectionFeed(of: transport.host, initialDelivery: options.initialDelivery)
    }

    @inline(__always)
    func declare(_ key: CursorKey, _ options: DurableOptions, fromOldest: Bool, mayChange: Bool) throws(CrosstieError) {
        switch self {
        case .records(let transport): try transport.declare(key, options, fromOldest: fromOldest, mayChange: mayChange)
        case .engine(let transport): try transport.declare(key, options, fromOldest: fromOldest, mayChange: mayChange)
        }
    }

    @inline(__always)
    func durables() throws(CrosstieError) -> [Wormhole.Durable] {
        switch self {
        case .records(let transport): try transport.durables()
        case .engine(let transport): try transport.durables()
        }
    }

    @inline(__always)
    func seek(_ key: CursorKey, to start: QueueStart) throws(CrosstieError) -> Bool {
        switch self {
        case .records(let transport): try transport.seek(key, to: start)
        case .engine(let transport): try transport.seek(key, to: start)
        }
    }

    @inline(__always)
    func forget(_ key: CursorKey) throws(CrosstieError) -> Bool {
        switch self {
        case .records(let transport): try transport.forget(key)
        case .engine(let transport): try transport.forget(key)
        }
    }

    @inline(__always)
    func deadLetters(of key: CursorKey, after: UInt64, limit: Int) throws(CrosstieError) -> [Wormhole.DeadLetter] {
        switch self {
        case .records(let transport): try transport.deadLetters(of: key, after: after, limit: limit)
        case .engine(let transport): try transport.deadLetters(of: key, after: after, limit: limit)
        }
    }

    @inline(__always)
    func deadLetter(_ sequence: UInt64, of key: CursorKey) throws(CrosstieError) -> Message? {
        switch self {
        case .records(let transport): try transport.deadLetter(sequence, of: key)
        case .engine(let transport): try transport.deadLetter(sequence, of: key)
        }
    }

    @inline(__always)
    func resolveDeadLetters(_ action: DeadLetterAction, _ sequence: UInt64?, of key: CursorKey, count: inout UInt64)
        throws(CrosstieError)
    {
        switch self {
        case .records(let transport): try transport.resolveDeadLetters(action, sequence, of: key, count: &count)
        case .engine(let transport): try transport.resolveDeadLetters(action, sequence, of: key, count: &count)
        }
    }

    @inline(__always)
    func listen(to topic: Topic, _ isListening: Bool) {
        switch self {
        case .records(let transport): transport.listen(to: topic, isListening)
        case .engine(let transport): transport.listen(to: topic, isListening)
        }
    }

    @inline(__always)
    func noteQueuesConsumed(_ sequence: UInt64) {
        switch self {
        case .records(let transport): transport.noteQueuesConsumed(sequence)
        case .engine(let transport): transport.noteQueuesConsumed(sequence)
        }
    }
}
