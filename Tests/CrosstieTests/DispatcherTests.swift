internal import Glibc
import Synchronization
import Testing

@testable import Crosstie

/// A component whose actions wait at a gate, or record that they ran.
private final class Gate: Component {
    static var actions: [Action] { [Action("stand", Gate.wait_there), Action("note", Gate.note)] }
    let entered = Counter()
    let open = Flag()
    let notes = Mutex<[String]>([])

    func wait_there(_ request: Request) -> Value? {
        entered.add()
        open.wait()
        return .null
    }

    func note(_ request: Request) -> Value? {
        notes.withLock { $0.append(request.params["name"]?.stringValue ?? "") }
        return .null
    }

    /// Returns when this many are at it.
    func wait(for count: Int) { while entered.count < count { Clock.sleep(nanoseconds: 100_000) } }
}

@Suite struct DispatcherTests {
    private func bus(workers: Int) throws -> (Bus, Gate) {
        let (bus, gate) = (try Bus(options: BusOptions(maximumWorkers: workers)), Gate())
        try bus.addComponent(gate)
        return (bus, gate)
    }

    @Test func anotherOneDoesNotWaitBehindTheDefaultOne() throws {
        let (bus, gate) = try bus(workers: 1)
        try bus.addDispatcher("fast", options: DispatcherOptions(maximumWorkers: 1, maximumQueued: 1))
        let blocked = try bus.callAsync("Gate", "stand")
        gate.wait(for: 1)
        let apart = try bus.callAsync("Gate", "note", ["name": "a"], options: RequestOptions(dispatcher: "fast"))
        #expect(try apart.wait().status == .ok)
        #expect(!blocked.isFinished)
        gate.open.set()
        #expect(try blocked.wait().status == .ok && blocked.isFinished)
        bus.close()
    }

    @Test func actionsThatDoNotBlockRunOnTheCallersThread() throws {
        let bus = try Bus()
        func add(_ name: String, isNonblocking: Bool) throws {
            var action = Action("thread") { _ in .string("\(pthread_self())") }
            action.isNonblocking = isNonblocking
            try bus.addComponent(name, actions: [action])
        }
        try add("here", isNonblocking: true)
        try add("worker", isNonblocking: false)
        let own = Value.string("\(pthread_self())")
        #expect(try bus.callAsync("here", "thread").wait().value == own)
        #expect(try bus.callAsync("worker", "thread").wait().value != own)
        var both = Action("both", isWorkerOnly: true) { _ in .null }
        both.isNonblocking = true
        let error = #expect(throws: CrosstieError.self) { try bus.addComponent("both", actions: [both]) }
        #expect(error?.status == .invalidArgument && error?.location == "actions[0].flags")
        bus.close()
    }

    @Test func urgentOnesRunFirst() throws {
        let (bus, gate) = try bus(workers: 1)
        _ = try bus.callAsync("Gate", "stand")
        gate.wait(for: 1)
        let calls = try [("a", Priority.low), ("b", .normal), ("c", .high), ("d", .normal), ("e", .high)].map {
            try bus.callAsync("Gate", "note", ["name": .string($0)], options: RequestOptions(priority: $1))
        }
        gate.open.set()
        for call in calls { #expect(try call.wait().status == .ok) }
        #expect(gate.notes.withLock { $0 } == ["c", "e", "b", "d", "a"])
        bus.close()
    }

    @Test func allOfOneAreCancelled() throws {
        let (bus, gate) = try bus(workers: 1)
        let calls = try (0..<4).map { _ in try bus.callAsync("Gate", "stand") }
        gate.wait(for: 1)
        #expect(try bus.cancelAll() == 4)
        #expect(calls.allSatisfy { $0.isCancelled && $0.isFinished && !$0.isTimedOut })
        #expect(try bus.cancelAll() == 0)
        gate.open.set()
        bus.close()
        #expect(gate.entered.count == 1)
    }

    @Test func namesAreTakenOnce() throws {
        let (bus, _) = try bus(workers: 1)
        try bus.addDispatcher("fast")
        expect(throws: .conflict) { try bus.addDispatcher("fast") }
        expect(throws: .invalidIdentifier) { try bus.addDispatcher("1st") }
        expect(throws: .invalidArgument) {
            try bus.addDispatcher("slow", options: DispatcherOptions(maximumWorkers: 0))
        }
        expect(throws: .notFound) { try bus.cancelAll(dispatcher: "slow") }
        expect(throws: .notFound) { try bus.call("Gate", "note", options: RequestOptions(dispatcher: "slow")) }
        expect(throws: .notFound) {
            try bus.callAsync("Gate", "note", options: RequestOptions(dispatcher: "slow"))
        }
        bus.close()
    }
}

/// Expects an error of a status.
private func expect<Result>(throws status: Status, _ body: () throws -> Result) {
    let error = #expect(throws: CrosstieError.self) { _ = try body() }
    #expect(error?.status == status)
}
