/// The members that a listener was notified of.
struct MemberChanges {
    var delivered: [Wormhole.Member] = []

    /// Adds messages of those that have left or joined since.
    mutating func collect(_ present: [Wormhole.Member], into batch: inout Batch) {
        let (before, now) = (Set(delivered), Set(present))
        for member in delivered where !now.contains(member) {
            batch.add(.presence(.left, member), size: 0)
        }
        for member in present where !before.contains(member) {
            batch.add(.presence(.joined, member), size: 0)
        }
        delivered = present
    }
}

extension Message {
    fileprivate static func presence(_ kind: MessageKind, _ member: Wormhole.Member) -> Message {
        let stamp = Stamp(sequence: 0, time: member.since, pid: member.pid)
        return Array(member.name.utf8).withUnsafeBytes { name in
            Message(kind, under: UnsafeRawBufferPointer(start: nil, count: 0), stamp: stamp, name: name)
        }
    }
}
