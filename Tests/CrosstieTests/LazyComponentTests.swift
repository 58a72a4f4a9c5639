import Synchronization
import Testing

@testable import Crosstie

private final class Slow: Component {
    static var actions: [Action] {
        [
            Action("number", Slow.answer),
            Action(Event.created, isEvent: true) { request in
                made.withLock { $0.append("created \(request.target)") }
                return nil
            },
            Action(Event.destroyed, isEvent: true) { request in
                made.withLock { $0.append("destroyed \(request.target)") }
                return nil
            },
        ]
    }
    static let made = Mutex<[String]>([])
    let number: Int64

    init(_ number: Int64) { self.number = number }

    func answer(_ request: Request) -> Value? { .int(number) }
}

@Suite struct LazyComponentTests {
    @Test func itIsMadeOnceHoweverManyCallAtOnce() throws {
        let bus = try Bus()
        let makes = Mutex<Int64>(0)
        try bus.addComponent(lazily: Slow.self, name: "once") {
            Clock.sleep(nanoseconds: 5_000_000)
            return Slow(
                makes.withLock {
                    $0 += 1; return $0
                })
        }
        #expect(makes.withLock { $0 } == 0)
        let calls = try (0..<8).map { _ in try bus.callAsync("once", "number") }
        #expect(try calls.map { try $0.wait().value } == Array(repeating: 1, count: 8))
        #expect(try bus.call("once", "number").value == 1)
    }

    @Test func aFailureEndsTheCallAndTheNextOneTriesAgain() throws {
        let bus = try Bus()
        let makes = Mutex<Int64>(0)
        try bus.addComponent(lazily: Slow.self, name: "second") {
            let count = makes.withLock {
                $0 += 1; return $0
            }
            if count == 1 { throw HandlerFailure(code: 1, message: "not yet") }
            return Slow(count)
        }
        let error = #expect(throws: CrosstieError.self) { try bus.call("second", "number") }
        #expect(error?.status == .notAComponent && error?.response?.code == 30_001)
        #expect(error?.message.contains("not yet") == true)
        #expect(try bus.call("second", "number").value == 2)
    }

    @Test func itsFactoryCannotCallIt() throws {
        let bus = try Bus()
        let seen = Mutex<Status?>(nil)
        try bus.addComponent(lazily: Slow.self, name: "loop") {
            do throws(CrosstieError) {
                try bus.call("loop", "number")
            } catch {
                seen.withLock { $0 = error.status }
            }
            return Slow(7)
        }
        #expect(try bus.call("loop", "number", options: RequestOptions(timeout: .forever)).value == 7)
        #expect(seen.withLock { $0 } == .deadlock)
    }

    @Test func waitingForAnotherThreadHasADeadline() throws {
        let bus = try Bus()
        let isMaking = Mutex(false)
        let mayEnd = Mutex(false)
        try bus.addComponent(lazily: Slow.self, name: "late") {
            isMaking.withLock { $0 = true }
            while !mayEnd.withLock({ $0 }) { Clock.sleep(nanoseconds: 100_000) }
            return Slow(3)
        }
        let call = try bus.callAsync("late", "number")
        while !isMaking.withLock({ $0 }) { Clock.sleep(nanoseconds: 100_000) }
        let error = #expect(throws: CrosstieError.self) {
            try bus.call("late", "number", options: RequestOptions(timeout: .milliseconds(1)))
        }
        #expect(error?.status == .timedOut)
        mayEnd.withLock { $0 = true }
        #expect(try call.wait().value == 3)
    }

    @Test func createdRunsOnceItIsRegistered() throws {
        let bus = try Bus()
        func received(_ name: String) -> [String] { Slow.made.withLock { $0.filter { $0.hasSuffix(" \(name)") } } }
        for name in ["unused", "used"] { try bus.addComponent(lazily: Slow.self, name: name) { Slow(1) } }
        #expect(received("used").isEmpty)
        try bus.call("used", "number")
        #expect(received("used") == ["created used"])
        bus.close()
        #expect(received("used") == ["created used", "destroyed used"] && received("unused").isEmpty)
    }
}
