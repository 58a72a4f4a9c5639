internal import Glibc
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// A group as a whole: several messages in one step, its identifiers, and its members.
@Suite struct WormholeGroupTests {
    let scratch = Scratch()

    @Test func messagesInOneStep() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        let listener = try wormhole.queue("*") { inbox.receive($0) }
        #expect(try wormhole.send(many: [.value("a", 1), .signal("b"), .value("c", nil)]) == 1)
        #expect(try wormhole.send(many: [.value("a", 4)]) == 4)
        #expect(try wormhole.message("a")?.sequence == 4 && wormhole.message("b") == nil)
        #expect(try wormhole.message("c")?.value == .null)
        #expect(inbox.waitForSequence(4).map(\.kind) == [.value, .signal, .value, .value])
        _ = listener
    }

    @Test func optionsOfABatch() throws {
        let wormhole = try scratch.open()
        var options = Wormhole.SendOptions()
        options.headers = ["k": "v"]
        options.token = [UInt8](repeating: 7, count: 16)
        options.isAtomic = false
        for _ in 0..<2 {
            #expect(try wormhole.send(many: [.value("a", 1), .signal("b"), .value("a", 2)], options: options) == 1)
        }
        #expect(try wormhole.message("a")?.sequence == 3 && wormhole.message("a")?.headers == ["k": "v"])
        options = Wormhole.SendOptions()
        options.delay = .seconds(3600)
        #expect(try wormhole.send(many: [.value("late", 1), .signal("late")], options: options) > 0)
        #expect(try wormhole.scheduled().map(\.kind) == [.value, .signal])
        options = Wormhole.SendOptions()
        options.isAtomic = false
        let malformed = failure { _ = try wormhole.send(many: [.value("c", 1), .signal("")], options: options) }
        #expect(malformed?.status == .invalidIdentifier && malformed?.location == "messages[1]")
        #expect(try wormhole.message("c") == nil)
    }

    @Test func noneOfABatchThatIsRefused() throws {
        var options = scratch.options()
        options.maximumValueSize = 10
        let wormhole = try Wormhole("test", options: options)
        #expect(failure { _ = try wormhole.send(many: []) }?.status == .invalidArgument)
        let malformed = failure { _ = try wormhole.send(many: [.value("a", 1), .signal("")]) }
        #expect(malformed?.status == .invalidIdentifier && malformed?.location == "messages[1]")
        let large = failure { _ = try wormhole.send(many: [.value("a", .bytes([UInt8](repeating: 0, count: 20)))]) }
        #expect(large?.status == .limitExceeded && large?.location == "messages[0]")
        let many = [Wormhole.Outgoing](repeating: .signal("a"), count: 65_537)
        #expect(failure { _ = try wormhole.send(many: many) }?.status == .limitExceeded)
        #expect(try wormhole.identifiers().isEmpty && wormhole.send("a", 1).sequence == 1)
    }

    @Test func identifiersThatHaveAMessage() throws {
        let wormhole = try scratch.open()
        for identifier in ["b.c", "b", "a", "b.a.x"] { try wormhole.send(identifier, .null) }
        try wormhole.signal("b.signalled")
        try wormhole.destroy("a")
        #expect(try wormhole.identifiers() == ["b", "b.a.x", "b.c"])
        #expect(try wormhole.identifiers("b.*") == ["b.a.x", "b.c"])
        #expect(try wormhole.identifiers("b") == ["b"] && wormhole.identifiers("a").isEmpty)
        #expect(failure { _ = try wormhole.identifiers("b*") }?.status == .invalidIdentifier)
    }

    /// Damaged records are listed, because reading them reports the damage; malformed identifiers are skipped.
    @Test func identifiersOfADamagedStore() throws {
        let wormhole = try scratch.open()
        try wormhole.send("whole", 1)
        try wormhole.core.group.transact(timeout: 1_000_000_000) { transaction, _ throws(CrosstieError) in
            for name in ["damaged", "no identifier", ""] {
                try Array(name.utf8).withBytes { bytes throws(CrosstieError) in
                    let room = try transaction.reserve(StoreKey.current, bytes, size: 3)
                    room.initializeMemory(as: UInt8.self, repeating: 9)
                }
            }
        }
        #expect(try wormhole.identifiers() == ["damaged", "whole"])
        #expect(failure { _ = try wormhole.message("damaged") }?.status == .corruptData)
    }

    @Test func membersOfAGroup() throws {
        var options = scratch.options()
        options.name = "first"
        let first = try Wormhole("test", options: options)
        options.name = "second"
        let second = try Wormhole("test", options: options)
        let members = try second.members()
        #expect(members.map(\.name) == ["first", "second"] && members.map(\.isSelf) == [false, true])
        #expect(members.allSatisfy { $0.pid == getpid() && $0.since > 0 })
        first.close()
        #expect(try second.members() == [members[1]])
        #expect(failure { _ = try first.members() }?.status == .closed)
    }

    /// Bytes of other processes in the wakeups are believed as far as they can do no harm.
    @Test func membersOfDamagedWakeups() throws {
        // A member mends its own slot when it makes a call: this one makes none.
        let idle = try scratch.open()
        let wormhole = try scratch.open()
        let (wakeups, slot) = (idle.core.group.wakeups, idle.core.slot)
        wakeups.record(slot)[Wakeups.SlotLayout.nameSize] = .max
        (wakeups.record(slot) + Wakeups.SlotLayout.nameOffset).storeBytes(of: 0xFF, as: UInt8.self)
        #expect(try wormhole.members().first?.name.unicodeScalars.first == "\u{FFFD}")
        wakeups.record(slot)[Wakeups.SlotLayout.pid] = 1
        #expect(try wormhole.members().map(\.isSelf) == [true])
        // The next call mends it, as the first in a second does.
        try idle.send("a", 1)
        #expect(try wormhole.members().map(\.isSelf) == [false, true])
    }

    private func failure(_ body: () throws -> Void) -> CrosstieError? {
        do { try body() } catch { return error as? CrosstieError }
        return nil
    }
}
