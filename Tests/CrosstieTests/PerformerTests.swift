import Synchronization
import Testing

@testable import Crosstie

@Suite struct PerformerTests {
    /// The status of a failing request.
    private func failure(_ body: () throws -> Void) -> CrosstieError? {
        do {
            try body()
            return nil
        } catch {
            return error as? CrosstieError
        }
    }

    /// A bus whose prefix `t` resolves to what tells its request.
    private func fixture() throws -> Bus {
        let bus = try Bus()
        try bus.allow("t:what")
        try bus.setResolver(of: "t") { request in
            switch request.action {
            case "none": try request.refuse(.noAction, "no none here")
            case "gone": try request.refuse(.noTarget)
            case "bad": try request.refuse(.invalidParameter, "'size' is no number")
            case "decline": try request.decline()
            case "silent": break
            default:
                return [
                    "target": .string(request.target), "selector": .string(request.action),
                    "params": request.params, "info": request.userInfo,
                ]
            }
            return nil
        }
        return bus
    }

    @Test func aResolverGetsTargetSelectorAndParameters() throws {
        let bus = try fixture()
        let response = try bus.perform(
            "t:what:ever", "show", ["id": 7], options: RequestOptions(userInfo: ["who": "me"]))
        #expect(
            response.value == ["target": "t:what:ever", "selector": "show", "params": ["id": 7], "info": ["who": "me"]])
        #expect(try bus.perform("t:what").value.mapValue?["selector"] == "")
    }

    @Test func nothingIsAllowedAtFirst() throws {
        let bus = try Bus()
        #expect(failure { try bus.perform("c:abort") }?.status == .denied)
        #expect(failure { try bus.perform("t:other") }?.status == .denied)
        let denied = failure { try fixture().perform("t:other") }
        #expect(denied?.status == .denied)
        #expect(denied?.message == "the target 't:other' is not on the allow-list")
    }

    @Test func missingTargetsAreNamed() throws {
        let bus = try fixture()
        try bus.allow("u:x")
        #expect(failure { try bus.perform("u:x") }?.message == "the target 'u:x' nobody finds")
        #expect(failure { try bus.perform("u:x") }?.status == .noTarget)
        #expect(failure { try bus.perform("t:what", "gone") }?.status == .noTarget)
        #expect(failure { try bus.perform("t:what", "decline") }?.status == .noTarget)
        let missing = failure { try bus.perform("t:what", "none") }
        #expect((missing?.status, missing?.message) == (.noAction, "no none here"))
        let bad = failure { try bus.perform("t:what", "bad") }
        #expect((bad?.status, bad?.message) == (.invalidParameter, "'size' is no number"))
        #expect(failure { try bus.perform("t:what", "silent") }?.status == .noReply)
    }

    @Test(arguments: ["", "what", "t:", "9:x", "t:\n"])
    func aMalformedTargetIsRefusedFirst(_ target: String) throws {
        let bus = try fixture()
        let seen = Atomic(0)
        try bus.intercept { request in
            seen.add(1, ordering: .relaxed)
            try request.proceed()
            return nil
        }
        #expect(failure { try bus.perform(target) }?.status == .invalidIdentifier)
        #expect(failure { try bus.performAsync(target) }?.status == .invalidIdentifier)
        #expect(failure { try bus.allow(target) }?.status == .invalidIdentifier)
        #expect(failure { try bus.releasePerformer(target) }?.status == .invalidIdentifier)
        #expect(seen.load(ordering: .relaxed) == 0)
    }

    @Test func theFallbackGetsWhatIsNotFoundAndNothingElse() throws {
        let bus = try fixture()
        try bus.allow("u:x")
        let seen = Mutex<[String]>([])
        try bus.setPerformerFallback { request in
            seen.withLock { $0.append("\(request.target) \(request.action)") }
            if request.params["decline"] != nil {
                try request.decline()
                return nil
            }
            return "fallback"
        }
        for (target, selector) in [("u:x", "a"), ("t:what", "none"), ("t:what", "gone"), ("t:what", "decline")] {
            #expect(try bus.perform(target, selector).value == "fallback")
        }
        #expect(failure { try bus.perform("t:what", "none", ["decline": true]) }?.status == .noAction)
        #expect(failure { try bus.perform("u:x", "", ["decline": true]) }?.status == .noTarget)
        #expect(seen.withLock { $0.count } == 6)
        #expect(failure { try bus.perform("t:what", "bad") }?.status == .invalidParameter)
        #expect(failure { try bus.perform("not:allowed") }?.status == .denied)
        #expect(failure { try bus.releasePerformer("u:x") }?.status == .noTarget)
        #expect(seen.withLock { $0.count } == 6)
        #expect(try bus.setPerformerFallback(handler: nil) == .ok)
        #expect(failure { try bus.perform("u:x") }?.status == .noTarget)
    }

    @Test func theFallbacksOwnRefusalCounts() throws {
        let bus = try fixture()
        try bus.setPerformerFallback { request in
            try request.refuse(.noAction, "not here either")
            return nil
        }
        let missing = failure { try bus.perform("t:what", "gone") }
        #expect((missing?.status, missing?.message) == (.noAction, "not here either"))
    }

    @Test func aRefusalElsewhereEndsTheRequest() throws {
        let bus = try fixture()
        try bus.setPerformerFallback { _ in "fallback" }
        // Of an interceptor, though the request is for the performer.
        let refusing: Handler = { request in
            try request.refuse(.noTarget, "intercepted")
            return nil
        }
        #expect(
            failure { try bus.perform("t:what", options: RequestOptions(interceptors: [refusing])) }?.message
                == "intercepted")
        // Of a route.
        try bus.route("app://x", handler: refusing)
        #expect(failure { _ = try bus.open("app://x") }?.status == .noTarget)
        // Later, after it was retained.
        try bus.setResolver(of: "t") { request in
            let kept = try request.retain()
            try kept.request.refuse(.noTarget, "later")
            return nil
        }
        #expect(failure { try bus.perform("t:what") }?.message == "later")
    }

    @Test func prefixesOfTheLibrarysOwnStay() throws {
        let bus = try Bus()
        for prefix in ["c", "swift"] {
            #expect(failure { try bus.setResolver(of: prefix) { _ in 1 } }?.status == .conflict)
        }
        for prefix in ["", "1", "a-b", "a:"] {
            #expect(failure { try bus.setResolver(of: prefix) { _ in 1 } }?.status == .invalidIdentifier)
        }
        #expect(
            failure { try bus.setResolver(of: String(repeating: "a", count: 33)) { _ in 1 } }?.status == .limitExceeded)
    }

    @Test func aResolverIsReplacedAndTakenAway() throws {
        let bus = try fixture()
        let object = Mutex<[Int]>([])
        weak var released: Held?
        do {
            let held = Held()
            released = held
            try bus.setResolver(of: "t") { _ in
                object.withLock { $0.append(held.number) }
                return "second"
            }
        }
        #expect(try bus.perform("t:what").value == "second")
        #expect(released != nil)
        #expect(try bus.setResolver(of: "t", handler: nil) == .ok)
        #expect(released == nil)
        #expect(failure { try bus.perform("t:what") }?.status == .noTarget)
    }

    private final class Held: Sendable {
        let number = 1
    }

    @Test func itReplacesItselfWhileItRuns() throws {
        let bus = try fixture()
        try bus.setResolver(of: "t") { _ in
            let status = try bus.setResolver(of: "t") { _ in "after" }
            #expect(status == .pending)
            return "before"
        }
        #expect(try bus.perform("t:what").value == "before")
        #expect(try bus.perform("t:what").value == "after")
    }

    @Test func anAsynchronousOneRunsOnAWorker() throws {
        let bus = try fixture()
        let call = try bus.performAsync("t:what", "show", ["id": 7])
        #expect(try call.wait().value.mapValue?["params"] == ["id": 7])
        #expect(try bus.performAsync("t:other").wait().status == .denied)
        try bus.setResolver(of: "t", isWorkerOnly: true) { _ in "worker" }
        #expect(try bus.perform("t:what").value == "worker")
    }

    @Test func cSymbolsAreFoundOnceAllowed() throws {
        let bus = try Bus()
        try bus.allow("c:no_such_symbol_anywhere")
        #expect(failure { try bus.perform("c:no_such_symbol_anywhere") }?.status == .noTarget)
        try bus.allow("c:no_such_library.so:symbol")
        let missing = failure { try bus.perform("c:no_such_library.so:symbol") }
        #expect(missing?.message.contains("no_such_library.so") == true)
        for target in ["c::x", "c:libm.so.6:"] {
            try bus.allow(target)
            #expect(failure { try bus.perform(target) }?.status == .noTarget)
        }
        #expect(failure { try bus.releasePerformer("c:no_such_symbol_anywhere") }?.status == .notFound)
    }

    @Test func closingABusDestroysItsResolvers() throws {
        weak var released: Held?
        let bus = try Bus()
        do {
            let held = Held()
            released = held
            try bus.setResolver(of: "t") { _ in .int(Int64(held.number)) }
        }
        #expect(released != nil)
        #expect(bus.close() == .ok)
        #expect(released == nil)
        #expect(failure { try bus.allow("t:x") }?.status == .invalidHandle)
    }
}
