internal import Glibc
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

@Suite struct WormholeTests {
    let scratch = Scratch()

    @Test func messageStaysAfterClosing() throws {
        try scratch.makeGroup()
        let message = try #require(try scratch.open().message("kept"))
        #expect(message.value == 7 && message.sequence == 1 && message.senderPID == getpid())
    }

    @Test func initialDeliveryThenOnlyWhatIsNewer() throws {
        let wormhole = try scratch.open()
        let (early, late, quiet) = (Inbox(), Inbox(), Inbox())
        let first = try wormhole.listen("a") { early.receive($0) }
        #expect(early.wait(for: 1).map(\.kind) == [.none])
        try wormhole.send("a", 1)
        let second = try wormhole.listen("a") { late.receive($0) }
        let third = try wormhole.listen("a", initialDelivery: false) { quiet.receive($0) }
        #expect(late.wait(for: 1).map(\.sequence) == [1])
        try wormhole.signal("a")
        #expect(quiet.wait(for: 1).map(\.kind) == [.signal])
        #expect(early.waitForSequence(2).map(\.kind) == [.none, .value, .signal])
        #expect(late.waitForSequence(2).map(\.kind) == [.value, .signal])
        _ = (first, second, third)
    }

    @Test func prefixListenerReceivesMessagesBelowIt() throws {
        let wormhole = try scratch.open()
        let (below, all) = (Inbox(), Inbox())
        for identifier in ["chat.b", "chat.a", "chatter", "chat", "chat.a.x"] { try wormhole.send(identifier, 1) }
        let first = try wormhole.listen("chat.*") { below.receive($0) }
        let second = try wormhole.listen("*") { all.receive($0) }
        #expect(below.wait(for: 3).map(\.identifier) == ["chat.a", "chat.a.x", "chat.b"])
        #expect(all.wait(for: 5).count == 5)
        try wormhole.send("chatter", 2)
        #expect(all.waitForSequence(6).count == 6)
        #expect(below.messages.count == 3)
        _ = (first, second)
    }

    @Test func manyMatchesOfAPrefixAllArriveOnce() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        for number in 0..<700 { try wormhole.send("many.n\(number)", .int(Int64(number))) }
        let listener = try wormhole.listen("many.*") { message in
            inbox.receive(message)
            // Passing while the initial delivery is going on must not make anything come twice.
            if inbox.messages.count == 1 { _ = try? wormhole.send("many.n0", -1) }
        }
        let last = inbox.waitForSequence(701)
        #expect(Set(last.map(\.sequence)).count == last.count && last.count >= 700 && last.last?.sequence == 701)
        _ = listener
    }

    /// A listener that receives the current message first never receives an older message of an identifier after a
    /// newer one.
    @Test func initialDeliveryAndWhatIsNewerDoNotMix() throws {
        let (wormhole, loop, inbox) = (try scratch.open(), try Loop(), Inbox())
        for number in 0..<600 { try wormhole.send("many.n\(number)", 0) }
        let listener = try wormhole.listen("many.*", on: .loop(loop)) { inbox.receive($0) }
        for _ in 0..<20_000 where inbox.messages.isEmpty { if loop.dispatch() == 0 { usleep(1000) } }
        // It has received a part.
        for round in 0..<4 {
            for number in stride(from: 599 - round, to: 0, by: -50) { try wormhole.send("many.n\(number)", 1) }
            try wormhole.signal("many.n7")
            _ = loop.dispatch()
        }
        let last = try wormhole.send("many.last", 2)
        for _ in 0..<20_000 where inbox.messages.last?.sequence != last.sequence {
            if loop.dispatch() == 0 { usleep(1000) }
        }
        let delivered = inbox.messages
        let first = delivered.prefix { $0.sequence <= 600 }
        #expect(first.map(\.identifier) == first.map(\.identifier).sorted())
        #expect(delivered.dropFirst(first.count).allSatisfy { $0.sequence > 600 })
        #expect(
            delivered.dropFirst(first.count).map(\.sequence)
                == delivered.dropFirst(first.count).map(\.sequence).sorted())
        #expect(
            Set(delivered.map(\.sequence)).count == delivered.count && Set(delivered.map(\.identifier)).count == 601)
        _ = listener
    }

    @Test func listenerThatLeavesIsNotCalledAgain() throws {
        let wormhole = try scratch.open()
        let (replaced, kept) = (Inbox(), Inbox())
        let first = try wormhole.listen("a", name: "x") { replaced.receive($0) }
        let second = try wormhole.listen("a", name: "x") { kept.receive($0) }
        let count = replaced.messages.count
        try wormhole.send("a", 1)
        _ = kept.waitForSequence(1)
        #expect(replaced.messages.count == count && first.remove() == .alreadyDone)
        #expect(try wormhole.removeListener("a", name: "x") == .ok)
        let unbound = #expect(throws: CrosstieError.self) { try wormhole.removeListener("a", name: "x") }
        #expect(unbound?.status == .notFound)
        #expect(second.remove() == .alreadyDone)
    }

    @Test func destructionIsReportedAndForgottenByAge() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        try wormhole.send("a", 1)
        try wormhole.destroy("a")
        #expect(try wormhole.message("a") == nil)
        let listener = try wormhole.listen("a") { inbox.receive($0) }
        #expect(inbox.wait(for: 1).map(\.kind) == [.none])
        for number in 0..<1100 { try wormhole.destroy("n\(number)") }
        try wormhole.send("a", 2)
        try wormhole.destroyAll()
        let last = inbox.waitForSequence(1104)
        #expect(last.last?.kind == .destroyed)
        _ = listener
    }

    @Test func twoMembersOfOneDirectoryReachEachOther() throws {
        let (one, two) = (try scratch.open(), try scratch.open())
        let (first, second) = (Inbox(), Inbox())
        let listeners = [
            try one.listen("a", initialDelivery: false) { first.receive($0) },
            try two.listen("a", initialDelivery: false) { second.receive($0) },
        ]
        #expect(try one.send("a", 1).listeners == 1)
        #expect(first.wait(for: 1).count == 1 && second.wait(for: 1).count == 1)
        #expect(one.close() == .ok && one.close() == .closed)
        try two.send("a", 2)
        #expect(second.waitForSequence(2).count == 2 && first.messages.count == 1)
        #expect(throws: CrosstieError.self) { try one.send("a", 3) }
        _ = listeners
    }

    @Test func limitsAreKept() throws {
        var options = scratch.options()
        options.maximumValueSize = 100
        let wormhole = try Wormhole("test", options: options)
        try wormhole.send("a", .bytes([UInt8](repeating: 0, count: 98)))
        #expect(status { try wormhole.send("a", .bytes([UInt8](repeating: 0, count: 99))) } == .limitExceeded)
        #expect(status { try wormhole.send("a b", 1) } == .invalidIdentifier)
        #expect(status { _ = try wormhole.listen("a*") { _ in } } == .invalidIdentifier)
        #expect(
            status { _ = try wormhole.listen("a", name: String(repeating: "n", count: 129)) { _ in } } == .limitExceeded
        )
        options.mapSize = 1
        #expect(status { _ = try Wormhole("test", options: options) } == .limitExceeded)
        options.mapSize = 1 << 20
        #expect(status { _ = try Wormhole("../test", options: options) } == .invalidIdentifier)
    }

    @Test func fullGroupIsRefused() throws {
        let wormholes = try (0..<256).map { _ in try scratch.open() }
        #expect(scratch.openFailure() == .limitExceeded)
        wormholes[0].close()
        #expect(scratch.openFailure() == .ok)
    }

    @Test func fastMapIsAdopted() throws {
        var options = scratch.options()
        options.isFast = true
        let fast = try Wormhole("test", options: options)
        try fast.send("a", 1)
        let plain = try scratch.open()
        try plain.send("a", 2)
        #expect(try fast.message("a")?.value == 2)
        #expect(fast.core.group === plain.core.group)
    }
}

/// The status of the error that `body` throws; `ok` if it throws none.
func status(_ body: () throws -> Void) -> Status {
    do { try body() } catch { return (error as? CrosstieError)?.status ?? .invalidArgument }
    return .ok
}
