internal import CCrosstie

/// Notifications, and the members that the transport knows.
extension HostTransport {
    /// Has `notify` called with `wakeup` after each commit, until it is nil.
    func watch(
        _ wakeup: UnsafeMutableRawPointer?, _ notify: ctie_transport_notify_fn? = nil
    ) throws(CrosstieError) {
        try call("watch") { functions.watch?(context, notify, wakeup) }
    }

    func join(_ name: [UInt8]) throws(CrosstieError) -> UInt64 {
        var id: UInt64 = 0
        let left = try left(until: deadline)
        let outcome = name.withUnsafeBytes { name in
            Result { () throws(CrosstieError) in
                let name = ctie_str(data: name.baseAddress?.assumingMemoryBound(to: CChar.self), size: name.count)
                try call("join") { functions.join?(context, name, &id, left) }
            }
        }
        try outcome.get()
        guard id != 0 else { throw CrosstieError(.corruptData, "the transport gave a member no number") }
        return id
    }

    /// The numbers of those that live.
    func members() throws(CrosstieError) -> Set<UInt64> {
        var found: Set<UInt64> = []
        let left = try left(until: deadline)
        try withUnsafeMutablePointer(to: &found) { found in
            Result { () throws(CrosstieError) in
                try call("members") {
                    functions.members?(
                        context,
                        { member, context in
                            guard let found = context?.assumingMemoryBound(to: Set<UInt64>.self) else { return }
                            if found.pointee.count < HostTransport.maximumMembers {
                                found.pointee.insert(member)
                            }
                        }, found, left)
                }
            }
        }.get()
        return found
    }

    private static var maximumMembers: Int { 65_536 }
}
