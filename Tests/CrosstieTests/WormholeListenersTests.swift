import Testing

@testable import Crosstie
@testable import CrosstieWormhole

@Suite struct WormholeListenersTests {
    let scratch = Scratch()

    @Test func listenersAreListed() throws {
        let wormhole = try scratch.open()
        let bus = try Bus()
        try bus.addDispatcher("slow")
        #expect(try wormhole.listeners().isEmpty)
        var options = Wormhole.QueueOptions()
        options.isDurable = true
        let listeners = [
            try wormhole.listenMembers { _ in },
            try wormhole.listen("a", name: "x", on: .loop(try wormhole.loop())) { _ in },
            try wormhole.queue("a.*", on: .dispatcher(of: bus, named: "slow")) { _ in },
            try wormhole.queue("a", name: "worker", options: options) { _ in },
        ]
        let found = try wormhole.listeners()
        #expect(found.map(\.identifier) == [nil, "a", "a.*", "a"])
        #expect(found.map(\.name) == ["", "x", "", "worker"])
        #expect(found.map(\.delivery) == [.members, .state, .queue, .durable])
        #expect(found.map(\.location) == [.wormhole, .loop, .dispatcher(named: "slow"), .wormhole])
        #expect(listeners[1].remove() == .ok)
        #expect(try wormhole.listeners().count == 3)
        wormhole.close()
        #expect(throws: CrosstieError.self) { try wormhole.listeners() }
    }

    @Test func thoseOfOneIdentifierAreRemovedAtOnce() throws {
        let wormhole = try scratch.open()
        let listeners = [
            try wormhole.listen("a", name: "x") { _ in }, try wormhole.queue("a") { _ in },
            try wormhole.listen("*") { _ in }, try wormhole.listenMembers(name: "x") { _ in },
            try wormhole.listenMembers { _ in },
        ]
        #expect(try wormhole.removeListeners("a") == .ok)
        let unbound = #expect(throws: CrosstieError.self) { try wormhole.removeListeners("a") }
        #expect(unbound?.status == .notFound && unbound?.message == "no listener is bound to 'a'")
        #expect(listeners[0].remove() == .alreadyDone && listeners[1].remove() == .alreadyDone)
        #expect(try wormhole.removeListener(nil, name: "x") == .ok)
        let nameless = #expect(throws: CrosstieError.self) { try wormhole.removeListener(nil, name: "") }
        #expect(nameless?.status == .notFound)
        #expect(try wormhole.listeners().map(\.identifier) == ["*", nil])
        #expect(try wormhole.removeListeners(nil) == .ok)
        #expect(wormhole.removeListeners() == .ok)
        #expect(try wormhole.listeners().isEmpty)
    }
}
