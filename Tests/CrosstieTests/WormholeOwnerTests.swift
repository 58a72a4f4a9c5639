import Testing

@testable import Crosstie
@testable import CrosstieWormhole

@Suite("Whose claims live")
struct WormholeOwnerTests {
    @Test("A member lives until it closes, and the next one in its slot is another")
    func slotsAreUsedAgain() throws {
        let scratch = Scratch()
        let first = try WormholeCore("owners", options: scratch.options())
        let second = try WormholeCore("owners", options: scratch.options())
        #expect(isAlive(first.memberID, in: first.group))
        #expect(isAlive(second.memberID, in: first.group))
        #expect(first.memberID != second.memberID)
        let (removed, slot) = (second.memberID, second.slot)
        _ = second.close()
        #expect(!isAlive(removed, in: first.group))
        let third = try WormholeCore("owners", options: scratch.options())
        #expect(third.slot == slot)
        #expect(third.memberID != removed)
        #expect(!isAlive(removed, in: first.group))
        #expect(isAlive(third.memberID, in: first.group))
        _ = third.close()
        _ = first.close()
    }

    @Test("Any number may be in the store", arguments: [0, 1, 255, UInt64.max, 1 << 63])
    func anyNumber(_ owner: UInt64) throws {
        let scratch = Scratch()
        let member = try WormholeCore("owners", options: scratch.options())
        #expect(!isAlive(owner, in: member.group))
        _ = member.close()
    }

    private func isAlive(_ owner: UInt64, in group: Group) -> Bool {
        guard (try? group.lockWriters(timeout: 1_000_000_000)) != nil else { return false }
        defer { group.unlockWriters() }
        return group.isAlive(owner: owner)
    }
}
