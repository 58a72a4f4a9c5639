import Synchronization

/// Members: those that have joined and left, by comparing the current ones with those that the listener was notified
/// of.
final class MemberFeed: Feed {
    private let group: Group
    /// Its own wormhole's.
    private let memberSlot: MemberSlot
    private let initialDelivery: Bool
    private var changes = MemberChanges()
    /// The wakeups' version of the members when it last looked.
    private var version: UInt64 = 0

    init(of group: Group, memberSlot: MemberSlot, initialDelivery: Bool) {
        self.group = group
        self.memberSlot = memberSlot
        self.initialDelivery = initialDelivery
    }

    func start() {
        if !initialDelivery { changes.delivered = look() }
    }

    func collect(into batch: inout Batch) { changes.collect(look(), into: &batch) }

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
