/// A listener to the members of a group that an engine keeps.
final class EngineMemberFeed: Feed {
    private let host: EngineHost
    private let initialDelivery: Bool
    private var changes = MemberChanges()
    /// The host's version of the members when it last looked.
    private var version: UInt64 = 0

    init(of host: EngineHost, initialDelivery: Bool) {
        self.host = host
        self.initialDelivery = initialDelivery
    }

    func start() throws(CrosstieError) {
        if !initialDelivery { changes.delivered = try look() }
    }

    func collect(into batch: inout Batch) throws(CrosstieError) { changes.collect(try look(), into: &batch) }

    var isTimed: Bool { true }

    /// No message says that members have changed.
    var wakeTime: UInt64 { host.membersVersion == version ? .max : 0 }

    private func look() throws(CrosstieError) -> [Wormhole.Member] {
        let seen = host.membersVersion
        let members = try host.engine.members()
        version = seen
        return members
    }
}
