import Synchronization
import Testing

@testable import Crosstie

@Suite struct RequestCallbackTests {
    /// The request of a handler, for the test.
    private final class Keeper: Sendable {
        private let kept = Mutex<RetainedRequest?>(nil)

        var handler: Handler {
            { request in
                let retained = try request.retain()
                self.kept.withLock { $0 = retained }
                return nil
            }
        }

        func wait() -> Request {
            while true {
                if let request = kept.withLock({ $0?.request }) { return request }
                Clock.sleep(nanoseconds: 50_000)
            }
        }

        func letGo() { kept.withLock { $0 = nil } }
    }

    private final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        func add() { value.add(1, ordering: .relaxed) }
        var count: Int { value.load(ordering: .relaxed) }
    }

    @Test func aCancelIsReported() throws {
        let (bus, keeper, reported) = (try Bus(), Keeper(), Counter())
        try bus.route("app://x", handler: keeper.handler)
        let call = try bus.openAsync("app://x")
        let request = keeper.wait()
        try request.onCancel { reported.add() }
        #expect(!request.isCancelled && reported.count == 0)
        call.cancel()
        #expect(request.isCancelled && reported.count == 1)
        try request.onCancel { reported.add() }
        #expect(reported.count == 2)
        keeper.letGo()
    }

    @Test func anAnswerIsNoCancelAndLetsTheClosureGo() throws {
        let (bus, keeper, reported) = (try Bus(), Keeper(), Counter())
        try bus.route("app://x", handler: keeper.handler)
        let call = try bus.openAsync("app://x")
        let request = keeper.wait()
        var held: Counter? = Counter()
        weak let watched = held
        try request.onCancel { [held] in held?.add() }
        held = nil
        #expect(watched != nil)
        try request.reply(1)
        #expect(watched == nil && reported.count == 0)
        #expect(throws: CrosstieError.self) { try request.onCancel { reported.add() } }
        #expect(try call.wait().status == .ok)
        keeper.letGo()
    }

    @Test func aResponseChangesOnItsWayBack() throws {
        let bus = try Bus()
        try bus.route("app://x") { _ in 20 }
        try bus.intercept { request in
            try request.onReturn { returning in
                try? returning.replace(.int((returning.response.value.intValue ?? 0) + 1))
            }
            try request.onReturn { returning in
                try? returning.replace(.int((returning.response.value.intValue ?? 0) * 2))
            }
            try request.proceed()
            return nil
        }
        #expect(try bus.open("app://x").value == 41)
    }

    @Test func aResponseFailsOnItsWayBackAndIsNotChangedLater() throws {
        let bus = try Bus()
        let late = Mutex<ReturningResponse?>(nil)
        try bus.route("app://x") { request in
            try request.onReturn { returning in
                late.withLock { $0 = returning }
                try? returning.fail(HandlerFailure(code: 9, message: "no", value: "why"))
            }
            return 1
        }
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://x") }
        #expect(error?.status == .handlerFailed && error?.message == "no")
        #expect(error?.response?.code == 9 && error?.response?.value == "why")
        let returning = try #require(late.withLock { $0 })
        #expect(throws: CrosstieError.self) { try returning.replace(2) }
    }

    @Test func aHandlerRefusesWithAStatus() throws {
        let bus = try Bus()
        try bus.route("app://x") { request in
            #expect(throws: CrosstieError.self) { try request.refuse(.ok) }
            try request.refuse(.noTarget, "gone")
            return nil
        }
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://x") }
        #expect(error?.status == .noTarget && error?.message == "gone")
    }

    @Test func anInterceptorSetsWhatTheHandlerSees() throws {
        let bus = try Bus()
        try bus.route("app://x/:id") { request in
            .list([.string(request["id"] ?? ""), request.arguments, request.userInfo])
        }
        try bus.intercept { request in
            try request.setParams(["a": 1])
            try request.setUserInfo(["b": 2])
            #expect(throws: CrosstieError.self) { try request.setParams(3) }
            try request.proceed()
            return nil
        }
        #expect(try bus.open("app://x/7", userInfo: ["b": 1]).value == ["7", ["a": 1], ["b": 2]])
    }

    @Test func refusalsNameTheRequestAndTheLimit() throws {
        let bus = try Bus()
        try bus.route("app://x") { _ in nil }
        try bus.intercept { request in
            for _ in 0..<64 {
                try request.setParams(["a": 1])
                try request.setUserInfo(["b": 2])
            }
            let parameters = #expect(throws: CrosstieError.self) { try request.setParams(["a": 1]) }
            #expect(parameters?.message == "the parameters of app://x/ cannot be set more than 64 times")
            let info = #expect(throws: CrosstieError.self) { try request.setUserInfo(["b": 1]) }
            #expect(info?.message == "the user info of app://x/ cannot be set more than 64 times")
            try request.proceed()
            return nil
        }
        try bus.open("app://x?secret")
    }

    @Test func parametersOfAnotherKindAreNamed() throws {
        let bus = try Bus()
        let route = try bus.route("app://x") { request in
            let error = #expect(throws: CrosstieError.self) { try request.setParams(3) }
            #expect(error?.message == "the parameters of a request must be a map, not an integer")
            return nil
        }
        try bus.open("app://x")
        route.remove()
    }

    /// An event handler that sends its own event.
    @Test func anEventThatIsNestedTooDeeplyIsNamed() throws {
        let bus = try Bus()
        let message = Mutex("")
        try bus.route("app://x") { request in
            do {
                try bus.open("app://x")
                try bus.broadcast("on_deep")
            } catch {
                message.withLock { if $0.isEmpty { $0 = "\(error)" } }
            }
            return nil
        }
        try bus.open("app://x")
        #expect(message.withLock { $0 } == "64 requests are nested on this thread, the most, so app://x/ is refused")
        message.withLock { $0 = "" }
        try bus.route("app://deep/:left<int>") { request in
            let left = Int(request["left"] ?? "") ?? 0
            if left > 0 { return try bus.open("app://deep/\(left - 1)").value }
            let error = #expect(throws: CrosstieError.self) { try bus.broadcast("on_deep") }
            return .string(error?.message ?? "")
        }
        let refusal = "64 requests are nested on this thread, the most, so the event 'on_deep' is refused"
        #expect(try bus.open("app://deep/63").value == .string(refusal))
    }
}
