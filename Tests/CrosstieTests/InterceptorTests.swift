import Synchronization
import Testing

@testable import Crosstie

@Suite struct InterceptorTests {
    /// The observed requests, in order.
    private final class Trail: Sendable {
        private let steps = Mutex<[String]>([])
        func add(_ step: String) { steps.withLock { $0.append(step) } }
        var all: [String] { steps.withLock { $0 } }

        /// An interceptor that leaves its name and lets the request go on.
        func passing(_ name: String) -> Handler {
            { request in
                self.add(name)
                try request.proceed()
                return nil
            }
        }
    }

    @Test func aRequestPassesItsOwnThenTheBussThenTheRoutes() throws {
        let (bus, trail) = (try Bus(), Trail())
        try bus.intercept(order: 2, trail.passing("bus 2"))
        try bus.intercept(order: 1, trail.passing("bus 1"))
        try bus.route("app://x/:id", interceptors: [trail.passing("route 1"), trail.passing("route 2")]) { request in
            .string(request["id"] ?? "")
        }
        let own = [trail.passing("own 1"), trail.passing("own 2")]
        #expect(try bus.open("app://x/7", interceptors: own).value == "7")
        #expect(trail.all == ["own 1", "own 2", "bus 1", "bus 2", "route 1", "route 2"])
    }

    @Test func anInterceptorSeesItsKinds() throws {
        let (bus, trail) = (try Bus(), Trail())
        try bus.route("app://x") { _ in 1 }
        try bus.intercept(order: 1, kinds: [.call, .event], trail.passing("calls"))
        try bus.intercept(order: 2, kinds: [.open], trail.passing("opens"))
        #expect(throws: CrosstieError.self) { try bus.intercept(dispatcher: "none", trail.passing("none")) }
        #expect(try bus.open("app://x").value == 1)
        #expect(trail.all == ["opens"])
    }

    @Test func oneThatIsRemovedSeesNothingMore() throws {
        let (bus, trail) = (try Bus(), Trail())
        try bus.route("app://x") { _ in 1 }
        let registered = try bus.intercept(trail.passing("seen"))
        try bus.open("app://x")
        #expect(registered.remove() == .ok)
        try bus.open("app://x")
        #expect(trail.all == ["seen"])
    }

    @Test func itAnswersFailsOrDeniesInsteadOfTheHandler() throws {
        let bus = try Bus()
        try bus.route("app://:what/x") { _ in "handler" }
        try bus.intercept { request in
            switch request.host {
            case "answer": return "interceptor"
            case "deny": try request.deny("not today")
            case "fail": throw HandlerFailure(code: 7, message: "broken")
            case "forget": break
            default: try request.proceed()
            }
            return nil
        }
        #expect(try bus.open("app://answer/x").value == "interceptor")
        #expect(try bus.open("app://other/x").value == "handler")
        for (url, status, message) in [
            ("app://deny/x", Status.denied, "not today"), ("app://fail/x", .handlerFailed, "broken"),
            ("app://forget/x", .noReply, "the handler of app://forget/x finished without replying"),
        ] {
            let error = #expect(throws: CrosstieError.self) { try bus.open(url) }
            #expect(error?.status == status && error?.message == message)
        }
    }

    @Test func aRewriteStartsAgain() throws {
        let (bus, trail) = (try Bus(), Trail())
        try bus.route("app://new/:id") { request in .string(request["id"] ?? "") }
        try bus.intercept(order: 1, trail.passing("first"))
        try bus.intercept(order: 2) { request in
            if request.host == "old" { try request.rewrite("app://new/9?x") } else { try request.proceed() }
            return nil
        }
        #expect(try bus.open("app://old", interceptors: [trail.passing("own")]).value == "9")
        #expect(trail.all == ["own", "first", "own", "first"])
    }

    @Test func theNinthRewriteIsRefused() throws {
        let bus = try Bus()
        let count = Mutex(0)
        try bus.intercept { request in
            count.withLock { $0 += 1 }
            try request.rewrite("app://again")
            return nil
        }
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://again") }
        #expect(error?.status == .handlerFailed && count.withLock { $0 } == 9)
    }

    @Test func aMalformedRewriteLeavesTheRequestAsItIs() throws {
        let bus = try Bus()
        try bus.route("app://x") { _ in "reached" }
        try bus.intercept { request in
            let error = #expect(throws: CrosstieError.self) { try request.rewrite("app://x y") }
            #expect(error?.status == .invalidURL)
            try request.proceed()
            #expect(throws: CrosstieError.self) { try request.proceed() }
            #expect(throws: CrosstieError.self) { try request.rewrite("app://y") }
            return nil
        }
        #expect(try bus.open("app://x").value == "reached")
    }

    @Test func itLetsARequestGoOnLaterFromAnotherThread() throws {
        let bus = try Bus()
        try bus.route("app://x") { request in .string(request.url) }
        try bus.intercept { request in
            let retained = try request.retain()
            inThread {
                Clock.sleep(nanoseconds: 2_000_000)
                try? retained.request.proceed()
            }
            return nil
        }
        #expect(try bus.open("app://x", timeout: .forever).value == "app://x/")
        #expect(try bus.openAsync("app://x").wait().value == "app://x/")
    }

    @Test func aProceedingRequestMayBeReleasedAtOnce() throws {
        let bus = try Bus()
        try bus.route("app://x/:id", isWorkerOnly: true) { request in
            Clock.sleep(nanoseconds: 1_000_000)
            return .string(request["id"] ?? "")
        }
        try bus.intercept { request in
            let retained = Mutex<RetainedRequest?>(try request.retain())
            try request.proceed()
            inThread { retained.withLock { $0 = nil } }
            return nil
        }
        try bus.intercept(order: 1) { request in
            let retained = try request.retain()
            inThread { try? retained.request.proceed() }
            return nil
        }
        for id in 0..<50 {
            #expect(try bus.open("app://x/\(id)", timeout: .forever).value == .string("\(id)"))
        }
    }

    @Test func aHandlerAfterOneThatKeepsTheRequestMayReturnNothing() throws {
        let bus = try Bus()
        let kept = Mutex<RetainedRequest?>(nil)
        try bus.route("app://x") { _ in nil }
        try bus.intercept { request in
            let retained = try request.retain()
            kept.withLock { $0 = retained }
            try request.proceed()
            return nil
        }
        #expect(try bus.open("app://x").value == .null)
    }

    @Test func nobodyButAnInterceptorLetsARequestGoOn() throws {
        let bus = try Bus()
        try bus.route("app://x") { request in
            let error = #expect(throws: CrosstieError.self) { try request.proceed() }
            #expect(error?.status == .invalidArgument)
            return nil
        }
        try bus.open("app://x")
    }

    @Test func trustIsNeverRaised() throws {
        let bus = try Bus()
        try bus.route("app://private") { _ in "secret" }
        try bus.route("app://public", isPublic: true) { _ in "open" }
        try bus.intercept { request in
            if request.host == "detour" { try request.rewrite("app://private") } else { try request.proceed() }
            return nil
        }
        #expect(try bus.open("app://detour").value == "secret")
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://detour", origin: .remote) }
        #expect(error?.status == .denied)
    }

    @Test func aDeclinedRequestPassesTheNextRoutesInterceptors() throws {
        let (bus, trail) = (try Bus(), Trail())
        try bus.route("app://a/b", interceptors: [trail.passing("first")]) { request in
            try request.decline()
            return nil
        }
        try bus.route("app://a/:x", interceptors: [trail.passing("second")]) { _ in "second" }
        #expect(try bus.open("app://a/b").value == "second")
        #expect(trail.all == ["first", "second"])
    }

    @Test func workerOnlyHandlersLeaveTheCallersThread() throws {
        let (bus, caller) = (try Bus(), UInt(bitPattern: ThreadSlot.current))
        try bus.route("app://x", isWorkerOnly: true) { _ in .bool(UInt(bitPattern: ThreadSlot.current) == caller) }
        try bus.route("app://nested", isWorkerOnly: true) { _ in try bus.open("app://x").value }
        #expect(try bus.open("app://x").value == false)
        #expect(try bus.open("app://nested").value == false)
        #expect(try bus.openAsync("app://x").wait().value == false)
    }
}
