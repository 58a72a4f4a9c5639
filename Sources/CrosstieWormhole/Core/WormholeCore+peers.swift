internal import Glibc

extension WormholeCore {
    /// Opens the directory of the group's sockets, and makes it if it is missing.
    ///
    /// - Throws: *invalidArgument* for a group that is not in a directory; *unsafeFile*, *systemFailure*.
    package func openPeers() throws(CrosstieError) -> PeerDirectory {
        try use { () throws(CrosstieError) in
            guard let transport = transport.records, case .directory(let directory) = transport.group.location else {
                throw CrosstieError(.invalidArgument, "only a wormhole in a directory can be joined", at: "wormhole")
            }
            let descriptor = try GroupDirectory.openOwn(
                directory.value.descriptor, "peers", directory.value.durability)
            return PeerDirectory(
                descriptor: descriptor, slot: transport.slot, member: transport.memberID,
                name: String(decoding: transport.sender.name, as: UTF8.self))
        }
    }

    /// Whether a process is the member of a number. A process of another PID namespace cannot be looked for, so its
    /// user must do. False when this wormhole is closed.
    package func isMember(_ number: UInt64, pid: Int32) -> Bool {
        useIfOpen {
            guard let transport = transport.records else { return false }
            let (group, slot) = (transport.group, Int(number & 0xFF))
            guard group.wakeups.isLive(slot), group.memberID(slot) == number else { return false }
            let process = group.wakeups.process(slot)
            guard process.namespace != 0, process.namespace == group.process.namespace else { return true }
            return process.pid == pid && !process.isKnownDead(from: group.process.namespace)
        } ?? false
    }
}
