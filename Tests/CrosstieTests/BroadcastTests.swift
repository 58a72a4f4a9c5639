import Synchronization
import Testing

@testable import Crosstie

@Suite struct BroadcastTests {
    private let bus: Bus
    private let received = Received()

    init() throws { bus = try Bus() }

    private final class Received: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func note(_ name: String) { names.withLock { $0.append(name) } }
    }

    /// A component with one event.
    private func listen(
        _ name: String, to event: String = "changed", priority: Int32 = 0, answer: Value? = nil, fails: Bool = false
    ) throws {
        try bus.addComponent(
            name,
            actions: [
                Action(event, isEvent: true) { [received] request in
                    received.note("\(request.target):\(request.action):\(request.kind)")
                    if fails { throw HandlerFailure(code: 9, message: "no") }
                    return answer
                }
            ], options: ComponentOptions(priority: priority))
    }

    @Test func componentsHandleByPriorityThenByName() throws {
        try listen("b")
        try listen("a")
        try listen("z", priority: 1)
        try listen("deaf", to: "other")
        try bus.addComponent("plain", actions: [Action("changed") { _ in true }])
        let result = try bus.broadcast("changed")
        #expect(received.all == ["z:changed:event", "a:changed:event", "b:changed:event"])
        #expect(result.count == 3 && !result.any && result.failures.isEmpty)
    }

    @Test func oneThatFailsDoesNotStopTheRest() throws {
        try listen("a", fails: true)
        try listen("b", answer: false)
        try listen("c", answer: true)
        try listen("d", answer: 1)
        let result = try bus.broadcast("changed", ["why": "test"])
        #expect(result.count == 4 && result.any && received.all.count == 4)
        let failure = try #require(result.failures.first)
        #expect(result.failures.count == 1 && failure.component == "a" && failure.status == .handlerFailed)
        #expect(failure.code == 9 && failure.message == "no")
    }

    @Test func oneThatNobodyWaitsForComesToTheSame() throws {
        try listen("a", fails: true)
        try listen("b", answer: true)
        let completed = Received()
        let call = try bus.broadcastAsync("changed") { completed.note("\($0.status)") }
        let result = try #require(BroadcastResult(try call.wait()))
        #expect(result.count == 2 && result.any && result.failures.count == 1)
        let failure = try #require(result.failures.first)
        #expect(
            failure.component == "a" && failure.status == .handlerFailed && failure.code == 9
                && failure.message == "no")
        #expect(received.all == ["a:changed:event", "b:changed:event"])
        let refusal = #expect(throws: CrosstieError.self) { try bus.broadcastAsync("a b") }
        #expect(refusal?.status == .invalidIdentifier)
        try bus.addComponent("plain", actions: [Action("go") { _ in ["count": 1] }])
        #expect(BroadcastResult(try bus.call("plain", "go")) == nil)
        bus.close()
        #expect(completed.all == ["\(Status.ok)"])
    }

    @Test func anEventWithoutHandlersIsNoFailure() throws {
        let result = try bus.broadcast("changed")
        #expect(result.count == 0 && !result.any && result.failures.isEmpty)
        for (name, status) in [("", Status.noName), ("a b", .invalidIdentifier)] {
            let error = #expect(throws: CrosstieError.self) { try bus.broadcast(name) }
            #expect(error?.status == status)
        }
        let error = #expect(throws: CrosstieError.self) { try bus.broadcast("changed", "text") }
        #expect(error?.status == .wrongType)
    }

    @Test func oneThatVanishesMeanwhileIsPassedOver() throws {
        try bus.addComponent(
            "a",
            actions: [
                Action("changed", isEvent: true) { [bus] _ in
                    try bus.removeComponent(named: "b")
                    try bus.addComponent("b", actions: [Action("changed", isEvent: true) { _ in true }])
                    return nil
                }
            ])
        try listen("b")
        let result = try bus.broadcast("changed")
        #expect(result.count == 1 && !result.any && received.all.isEmpty)
    }

    /// More recipients than a broadcast copies to its stack, whose list changes between broadcasts.
    @Test func manyKeepTheirOrderAsTheyComeAndGo() throws {
        var expected: [String] = []
        for number in 0..<200 {
            let name = "component_with_a_long_name_\(1000 + number)"
            try listen(name, priority: Int32(number % 2))
            expected.append(name)
            guard number % 40 == 39 else { continue }
            if number == 119 { try bus.removeComponent(named: expected.remove(at: 7)) }
            let before = received.all.count
            #expect(try bus.broadcast("changed").count == expected.count)
            let isOdd = { (name: String) in (name.utf8.last ?? 0) % 2 == 1 }
            let order = expected.filter(isOdd) + expected.filter { !isOdd($0) }
            #expect(Array(received.all[before...]) == order.map { "\($0):changed:event" })
        }
        for name in expected { try bus.removeComponent(named: name) }
        #expect(try bus.broadcast("changed").count == 0)
    }

    /// The table of actions has the recipients of an event under a component without a name.
    @Test func theListOfRecipientsIsNoAction() throws {
        try listen("a")
        for _ in 0..<2 { #expect(try bus.broadcast("changed").count == 1) }
        let error = #expect(throws: CrosstieError.self) { try bus.call("", "changed") }
        #expect(error?.status == .noName)
        #expect(received.all.count == 2)
    }

    @Test func interceptorsSeeEachRequest() throws {
        try listen("a")
        try listen("b")
        let seen = Received()
        try bus.intercept { request in
            seen.note("bus \(request.target)")
            if request.target == "b" { try request.deny("not b") } else { try request.proceed() }
            return nil
        }
        let own: Handler = { request in
            seen.note("own \(request.target)")
            try request.proceed()
            return nil
        }
        let result = try bus.broadcast("changed", options: RequestOptions(interceptors: [own]))
        #expect(seen.all == ["own a", "bus a", "own b", "bus b"] && received.all == ["a:changed:event"])
        #expect(result.count == 2 && result.failures.map(\.status) == [.denied])
    }

    @Test func eventsNestAsDeepAsRequestsDo() throws {
        let depths = Mutex(0)
        try bus.addComponent(
            "a",
            actions: [
                Action("changed", isEvent: true) { [bus] _ in
                    depths.withLock { $0 += 1 }
                    try bus.broadcast("changed")
                    return nil
                }
            ])
        #expect(try bus.broadcast("changed").failures.isEmpty)
        #expect(depths.withLock { $0 } == 64)
    }

    @Test func createdAndDestroyedAreForOneAlone() throws {
        func add(_ name: String, replacing: Bool = false) throws -> Registration {
            let events = [Event.created, Event.destroyed].map { event in
                Action(event, isEvent: true) { [received, bus] request in
                    received.note("\(request.action) \(request.target)")
                    if event == Event.destroyed {
                        let answer = try bus.call(request.target, "x").value
                        #expect(answer == .string(name))
                        #expect((try? bus.removeComponent(named: request.target)) == nil)
                    }
                    return nil
                }
            }
            return try bus.addComponent(
                name, actions: events + [Action("x") { _ in .string(name) }],
                options: ComponentOptions(isReplacing: replacing))
        }
        let first = try add("a")
        _ = try add("b")
        #expect(received.all == ["created a", "created b"])
        first.remove()
        _ = try add("b", replacing: true)
        #expect(received.all.dropFirst(2) == ["destroyed a", "destroyed b", "created b"])
        bus.close()
        #expect(received.all.dropFirst(5) == ["destroyed b"])
    }

    @Test func theLastReleaseSendsTheEvent() throws {
        let received = Received()
        do {
            let bus = try Bus()
            try bus.addComponent(
                "a",
                actions: [
                    Action(Event.destroyed, isEvent: true) { _ in
                        received.note("destroyed")
                        return nil
                    }
                ])
        }
        #expect(received.all == ["destroyed"])
    }

    @Test func failingLifecycleEventsAreLogged() throws {
        bus.setLog { [received] _, line in received.note(line) }
        try bus.addComponent(
            "a", actions: [Action(Event.created, isEvent: true) { _ in throw HandlerFailure(code: 1, message: "oh") }])
        #expect(received.all == ["a failed created: oh"])
    }
}
