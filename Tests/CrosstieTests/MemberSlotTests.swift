import Synchronization
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// A member that other processes have taken for dead, as by a mistake: its slot is free, but it lives.
struct MemberSlotTests {
    let scratch = Scratch()

    private func reap(_ wormhole: Wormhole) throws {
        let group = wormhole.core.group
        try group.lockWriters(timeout: 1_000_000_000)
        // A process does not see its own locks.
        group.wakeups.reapSlots(own: [Bool](repeating: false, count: group.ownSlots.count))
        group.unlockWriters()
    }

    /// Waits until the member is in its slot, making a call meanwhile.
    private func awaitEntry(_ wormhole: Wormhole, _ call: () throws -> Void) throws {
        let (wakeups, slot) = (wormhole.core.group.wakeups, wormhole.core.slot)
        for _ in 0..<3000 where !wakeups.isLive(slot) {
            try call()
            Clock.sleep(nanoseconds: 10_000_000)
        }
        #expect(wakeups.isLive(slot))
        let members = try wormhole.members()
        #expect(members.count == 1 && members.first?.isSelf == true)
    }

    @Test func oneWithoutListenersEntersAgainInACall() throws {
        let wormhole = try scratch.open()
        try wormhole.send("a", 1)
        try reap(wormhole)
        #expect(!wormhole.core.group.wakeups.isLive(wormhole.core.slot))
        try awaitEntry(wormhole) { try wormhole.send("a", 2) }
        try reap(wormhole)
        try awaitEntry(wormhole) { _ = try wormhole.message("a") }
    }

    @Test func oneWithListenersEntersAgainByItself() throws {
        let received = Atomic(0)
        let wormhole = try scratch.open()
        let state = try wormhole.listen("a") { _ in received.add(1, ordering: .relaxed) }
        let queue = try wormhole.queue("a") { _ in received.add(1, ordering: .relaxed) }
        try reap(wormhole)
        try awaitEntry(wormhole) {}
        // Its topics are registered again a moment later.
        for _ in 0..<3000 where received.load(ordering: .relaxed) < 2 {
            try wormhole.send("a", 1)
            Clock.sleep(nanoseconds: 10_000_000)
        }
        #expect(received.load(ordering: .relaxed) >= 2)
        state.remove()
        queue.remove()
    }
}
