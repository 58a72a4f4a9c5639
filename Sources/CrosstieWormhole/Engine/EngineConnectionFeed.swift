/// A listener to the connection of an engine to its server.
final class EngineConnectionFeed: Feed {
    private let host: EngineHost
    private let initialDelivery: Bool
    /// The number of changes when it last looked.
    private var seen: UInt64 = 0

    init(of host: EngineHost, initialDelivery: Bool) {
        self.host = host
        self.initialDelivery = initialDelivery
    }

    func start() {
        if !initialDelivery { seen = host.connection.version }
    }

    func collect(into batch: inout Batch) throws(CrosstieError) {
        let now = host.connection
        guard now.version != seen, let connection = now.connection else { return }
        batch.add(try .connection(connection), size: 0)
        seen = now.version
    }

    var isTimed: Bool { true }

    /// No message says that it has changed.
    var wakeTime: UInt64 { host.connectionVersion == seen ? .max : 0 }
}

extension Message {
    fileprivate static func connection(_ connection: Wormhole.Connection) throws(CrosstieError) -> Message {
        let content = try connection.value.makeRef()
        return Message(
            .connection, under: UnsafeRawBufferPointer(start: nil, count: 0),
            stamp: Stamp(sequence: 0, time: connection.since, pid: 0), content: content)
    }
}
