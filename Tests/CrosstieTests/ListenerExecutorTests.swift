internal import Glibc
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

@Suite("The executors of listeners")
struct ListenerExecutorTests {
    let scratch = Scratch()

    /// Dispatches until a listener has received so many messages.
    private func dispatch(_ loop: Loop, until inbox: Inbox, has count: Int) -> [Message] {
        for _ in 0..<20_000 where inbox.messages.count < count {
            if loop.dispatch() == 0 { usleep(1000) }
        }
        return inbox.messages
    }

    @Test func aLoopsListenerWaitsForItsDispatch() throws {
        let (wormhole, inbox, witness) = (try scratch.open(), Inbox(), Inbox())
        let loop = try wormhole.loop()
        #expect(try wormhole.loop().descriptor == loop.descriptor)
        let listener = try wormhole.listen("a", on: .loop(loop)) { inbox.receive($0) }
        try wormhole.send("a", 1)
        let other = try wormhole.listen("a") { witness.receive($0) }
        _ = witness.waitForSequence(1)
        #expect(inbox.messages.isEmpty)
        #expect(dispatch(loop, until: inbox, has: 1).map(\.kind) == [.value])
        #expect(loop.dispatch() == 0)
        wormhole.close()
        #expect(loop.descriptor == -1)
        #expect(status { _ = try wormhole.loop() } == .closed)
        _ = (listener, other)
    }

    @Test func removedListenersDoNotCount() throws {
        let (wormhole, loop, inbox) = (try scratch.open(), try Loop(), Inbox())
        let listener = try wormhole.listen("a", on: .loop(loop)) { inbox.receive($0) }
        var readable = pollfd(fd: loop.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&readable, 1, 60_000) == 1)
        #expect(listener.remove() == .ok)
        #expect(loop.dispatch() == 0 && inbox.messages.isEmpty)
    }

    @Test func aLoopThatGoesAwayLeavesItsListenerToTheWormhole() throws {
        let (wormhole, inbox) = (try scratch.open(), Inbox())
        var loop: Loop? = try Loop()
        let listener = try loop.map { loop in try wormhole.listen("a", on: .loop(loop)) { inbox.receive($0) } }
        loop = nil
        _ = inbox.wait(for: 1)
        try wormhole.send("a", 1)
        #expect(inbox.waitForSequence(1).map(\.kind) == [.none, .value])
        _ = listener
    }

    @Test func workersOfADispatcherCall() throws {
        let (wormhole, bus, inbox) = (try scratch.open(), try Bus(), Inbox())
        try bus.addDispatcher("d")
        #expect(status { _ = try wormhole.listen("a", on: .dispatcher(of: bus, named: "e")) { _ in } } == .notFound)
        let listener = try wormhole.listen("a", on: .dispatcher(of: bus, named: "d")) { inbox.receive($0) }
        for number in Int64(1)...50 { try wormhole.send("a", .int(number)) }
        let delivered = inbox.waitForSequence(50)
        #expect(delivered.map(\.sequence) == delivered.map(\.sequence).sorted())
        bus.close()
        #expect(status { _ = try wormhole.listen("a", on: .dispatcher(of: bus)) { _ in } } == .invalidHandle)
        #expect(listener.remove() == .ok)
    }

    /// A queue listener's, as the C interface binds it.
    private func queue(_ wormhole: Wormhole, on executor: Wormhole.Executor, _ inbox: Inbox) throws(CrosstieError)
        -> Binding
    {
        var options = ListenOptions()
        options.delivery = .queue
        options.executor = try executor.resolved()
        let binding = try Array("a".utf8).withBytes { bytes throws(CrosstieError) in
            try wormhole.core.makeBinding(bytes, options, call: { inbox.receive($0) }, end: {})
        }
        _ = try wormhole.core.bind(binding)
        return binding
    }

    @Test("What waits for a dispatch is kept in the log, and not longer")
    func neededPartOfTheLog() throws {
        let (wormhole, loop, inbox, witness) = (try scratch.open(), try Loop(), Inbox(), Inbox())
        let member = wormhole.core
        let needless = member.group.wakeups.queuesConsumed(member.slot)
        let binding = try queue(wormhole, on: .loop(loop), inbox)
        let other = try wormhole.listen("a") { witness.receive($0) }
        let before = try member.group.sequence()
        for number in Int64(1)...20 {
            try wormhole.send("a", .int(number))
            _ = witness.waitForSequence(before + UInt64(number))
        }
        #expect(needless.pointee.load(ordering: .acquiring) <= before)
        let delivered = dispatch(loop, until: inbox, has: 20)
        #expect(delivered.count == 20)
        #expect(needless.pointee.load(ordering: .acquiring) == before + 20)
        #expect(member.unbind(binding) == .ok)
        _ = other
    }

    @Test("Nothing is queued any more for a listener whose bus has closed")
    func aDeafListenerWantsNothing() throws {
        let (wormhole, bus, inbox) = (try scratch.open(), try Bus(), Inbox())
        let member = wormhole.core
        let binding = try queue(wormhole, on: .dispatcher(of: bus), inbox)
        #expect(try isWanted(member))
        bus.close()
        try wormhole.send("a", 1)
        for _ in 0..<20_000 where try isWanted(member) { usleep(1000) }
        #expect(try !isWanted(member) && inbox.messages.isEmpty)
        #expect(member.unbind(binding) == .ok && member.unbind(binding) == nil)
    }

    private func isWanted(_ member: WormholeCore) throws(CrosstieError) -> Bool {
        let topic = try Array("a".utf8).withBytes { bytes throws(CrosstieError) in try Topic(bytes) }
        let snapshot = try member.group.store.reading()
        return try snapshot.interest(topic)?.slots.isEmpty == false
    }

    @Test func membersAreReported() throws {
        let (wormhole, inbox, changes) = (try scratch.open(), Inbox(), Inbox())
        let all = try wormhole.listenMembers { inbox.receive($0) }
        _ = inbox.wait(for: 1)
        let some = try wormhole.listenMembers(initialDelivery: false) { changes.receive($0) }
        let other = try scratch.open()
        #expect(inbox.wait(for: 2).map(\.kind) == [.joined, .joined])
        other.close()
        #expect(inbox.wait(for: 3).map(\.kind) == [.joined, .joined, .left])
        let delivered = changes.wait(for: 2)
        #expect(delivered.map(\.kind) == [.joined, .left])
        #expect(delivered.allSatisfy { $0.senderPID == getpid() && $0.identifier.isEmpty && $0.sequence == 0 })
        #expect(delivered.first?.time == delivered.last?.time)
        _ = (all, some)
    }
}
