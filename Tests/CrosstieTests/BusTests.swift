import Synchronization
import Testing

@testable import Crosstie

@Suite struct BusTests {
    @Test func opensWhatIsRegistered() throws {
        let bus = try Bus("shop")
        try bus.route("app://users/:id") { request in .string("user \(request["id"] ?? "")") }
        #expect(try bus.open("app://users/42?tab=posts").value == "user 42")
        #expect(bus.canOpen("app://users/42") == .route)
        #expect(bus.canOpen("app://users") == .none)
    }

    @Test func removingARouteKeepsDeeperOnes() throws {
        let bus = try Bus()
        let route = try bus.route("app://a") { _ in 1 }
        try bus.route("app://a/b") { _ in 2 }
        #expect(route.remove() == .ok)
        #expect(route.remove() == .invalidHandle)
        #expect(throws: CrosstieError.self) { try bus.open("app://a") }
        #expect(try bus.open("app://a/b").value == 2)
    }

    @Test func replacingEndsTheOlderRegistration() throws {
        let bus = try Bus()
        let old = try bus.route("app://a/:x") { _ in 1 }
        let conflict = #expect(throws: CrosstieError.self) { try bus.route("app://a/:y") { _ in 2 } }
        #expect(conflict?.status == .conflict)
        try bus.route("app://a/:y", isReplacing: true) { request in .string(request["y"] ?? "") }
        #expect(old.remove() == .invalidHandle)
        #expect(try bus.open("app://a/7").value == "7")
    }

    @Test func listsRoutesInOrderWithTheirHits() throws {
        let bus = try Bus(options: BusOptions(countsHits: true))
        try bus.route("app://b", name: "second", isPublic: true, remark: "text") { _ in nil }
        try bus.route("app://a", isWorkerOnly: true) { _ in nil }
        for _ in 0..<3 { try bus.open("app://b") }
        let first = Route(
            pattern: "app://a", name: "", remark: "", isPublic: false, isWorkerOnly: true, rule: "", hits: 0)
        let second = Route(
            pattern: "app://b", name: "second", remark: "text", isPublic: true, isWorkerOnly: false, rule: "", hits: 3)
        #expect(try bus.routes() == [first, second])
    }

    @Test func sharedBusesAreOneUntilTheLastRelease() throws {
        var first: Bus? = try Bus.shared("bus tests")
        let second = try Bus.shared("bus tests")
        #expect(first?.handle == second.handle)
        first = nil
        try second.route("app://x") { _ in 1 }
        #expect(try Bus.shared("bus tests").open("app://x").value == 1)
        second.close()
        #expect(try Bus.shared("bus tests").routes().isEmpty)
    }

    @Test func closingEndsWhatIsOpen() throws {
        let bus = try Bus()
        let kept = Mutex<RetainedRequest?>(nil)
        try bus.route("app://later") { request in
            let retained = try request.retain()
            kept.withLock { $0 = retained }
            return nil
        }
        let call = try bus.openAsync("app://later")
        while kept.withLock({ $0 == nil }) { Clock.sleep(nanoseconds: 1_000_000) }
        #expect(bus.close() == .ok)
        #expect(try call.wait().status == .closed)
        #expect(bus.close() == .invalidHandle)
        let late = #expect(throws: CrosstieError.self) { try kept.withLock { try $0?.request.reply(1) } }
        #expect(late?.status == .alreadyDone)
    }

    @Test func closingInsideAHandlerIsDeferred() throws {
        let bus = try Bus()
        let status = Mutex<Status?>(nil)
        try bus.route("app://close") { [unowned bus] _ in
            status.withLock { $0 = bus.close() }
            return 1
        }
        #expect(try bus.open("app://close").value == 1)
        #expect(status.withLock { $0 } == .pending)
        let after = #expect(throws: CrosstieError.self) { try bus.open("app://close") }
        #expect(after?.status == .invalidHandle)
    }

    @Test func logsLateAnswers() throws {
        let bus = try Bus()
        let lines = Mutex<[String]>([])
        bus.setLog { _, line in lines.withLock { $0.append(line) } }
        try bus.route("app://twice") { request in
            try request.reply(1)
            try? request.reply(2)
            return nil
        }
        #expect(try bus.open("app://twice").value == 1)
        #expect(lines.withLock { $0.count } == 1)
        bus.setLog(nil)
        _ = try bus.open("app://twice")
        #expect(lines.withLock { $0.count } == 1)
    }

    @Test(arguments: [
        (BusOptions(name: String(repeating: "x", count: 129)), Status.limitExceeded),
        (BusOptions(defaultScheme: "1a"), .invalidURL),
        (BusOptions(maximumWorkers: 0), .invalidArgument),
        (BusOptions(maximumQueued: -1), .invalidArgument),
    ])
    func refusesBadOptions(_ options: BusOptions, _ status: Status) {
        let error = #expect(throws: CrosstieError.self) { try Bus(options: options) }
        #expect(error?.status == status)
    }

    @Test func generatesWhatOpens() throws {
        let bus = try Bus(options: BusOptions(defaultScheme: "app"))
        try bus.route("/users/:name/*rest") { request in ["\(request["name"] ?? "")": .string(request["rest"] ?? "")] }
        let url = try bus.generate("/users/:name/*rest", ["name": "a b", "rest": "x/y"])
        #expect(url == "app:///users/a%20b/x/y")
        #expect(try bus.open(url).value == ["a b": "x/y"])
        let error = #expect(throws: CrosstieError.self) { try bus.generate("/users/:name", ["other": 1]) }
        #expect(error?.status == .invalidParameter)
    }
}
