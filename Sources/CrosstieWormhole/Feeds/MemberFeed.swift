import Synchronization

/// Members: those that have joined and left, by comparing the current ones with those that the listener was notified
/// of.
final class MemberFeed: Feed {
    private let group: Group
    /// Its own wormhole's.
    private let memberSlot: MemberSlot
    private let initialDelivery: Bool
    private var delivered: [Wormhole.Member] = []
    /// The wakeups' version of the members when it last looked.
    private var version: UInt64 = 0

    init(of group: Group, memberSlot: MemberSlot, initialDelivery: Bool) {
        self.group = group
        self.memberSlot = memberSlot
        self.initialDelivery = initialDelivery
    }

    func start() {
        if !initialDelivery { delivered = look() }
    }

    func collect(into batch: inout Batch) {
        let present = look()
        let (before, now) = (Set(delivered), Set(present))
        for member in delivered where !now.contains(member) {
            batch.add(.presence(.left, member), size: 0)
        }
        for member in present where !before.contains(member) {
            batch.add(.presence(.joined, member), size: 0)
        }
        delivered = present
    }

    var isTimed: Bool { true }

    /// Every watcher is notified, but no sequence number says of which change.
    var wakeTime: UInt64 {
        group.wakeups.presenceVersion.pointee.load(ordering: .sequentiallyConsistent) == version ? .max : 0
    }

    private func look() -> [Wormhole.Member] {
        version = group.wakeups.presenceVersion.pointee.load(ordering: .sequentiallyConsistent)
        return group.members(seenFrom: memberSlot.slot)
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
