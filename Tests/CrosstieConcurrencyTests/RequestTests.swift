import CrosstieConcurrency
import Testing

/// A provider of everything, for `async` requests.
private final class Person: ShareProvider, OauthProvider, LaunchProvider {
    let name = "person"
    let endpoints: [Endpoint: Set<ShareKind>] = [.weiboTimeline: []]
    let platform = Platform.wechat
    let appID = "WX1"
    let universalLink = "https://example.com/app"

    func share(_ message: Value, to endpoint: Endpoint, _ request: Request) -> Value? { "shared" }
    func oauth(_ parameters: Value, _ request: Request) -> Value? { ["com.nuomi1.bus.wechat.code": "c0de"] }
    func launch(_ program: Value, _ request: Request) -> Value? { "launched" }
}

/// Requests that tasks wait for.
@Suite struct RequestTests {
    let bus: Bus

    init() throws { bus = try Bus("concurrency") }

    @Test func everyKindOfRequestHasAnAsyncForm() async throws {
        try bus.route("app://users/:id") { request in .string("user \(request["id"] ?? "")") }
        try bus.addComponent(
            "home",
            actions: [
                Action("greet") { request in "hello \(request.params["name"]?.stringValue ?? "you")" },
                Action(Event.willTerminate, isEvent: true) { _ in true },
            ])
        try bus.addProvider(Person())
        #expect(try await bus.open("app://users/42").value == "user 42")
        #expect(try await bus.open("app://users/42", options: RequestOptions()).value == "user 42")
        #expect(try await bus.call("home", "greet", ["name": "Ada"]).value == "hello Ada")
        #expect(try await bus.broadcast(Event.willTerminate).count == 1)
        #expect(try await bus.share(.text("hello"), to: .weiboTimeline).value == "shared")
        #expect(try await bus.oauth(with: .wechat).value["com.nuomi1.bus.wechat.code"] == "c0de")
        #expect(try await bus.launch(["path": "x"], on: .wechat).value == "launched")
        let error = await #expect(throws: CrosstieError.self) { try await bus.perform("swift:Cart", "add") }
        #expect(error?.status == .denied)
    }

    @Test func failuresAreThrownWithTheirStatus() async throws {
        try bus.route("app://no") { _ in throw HandlerFailure(code: 42, message: "sold out") }
        let failure = await #expect(throws: CrosstieError.self) { try await bus.open("app://no") }
        #expect(failure?.status == .handlerFailed && failure?.response?.code == 42 && failure?.message == "sold out")
        let unknown = await #expect(throws: CrosstieError.self) { try await bus.open("app://unknown") }
        #expect(unknown?.status == .noRoute)
        let malformed = await #expect(throws: CrosstieError.self) { try await bus.open("no url") }
        #expect(malformed?.status == .invalidURL)
    }

    @Test func cancellingTheTaskCancelsTheRequest() async throws {
        let (started, cancelled) = (Gate(), Gate())
        let kept = Notes<RetainedRequest>()
        try bus.route("app://slow") { request in
            kept.add(try request.retain())
            try request.onCancel { cancelled.open() }
            started.open()
            return nil
        }
        let task = Task { try await bus.open("app://slow") }
        await started.pass()
        task.cancel()
        let error = await #expect(throws: CrosstieError.self) { try await task.value }
        #expect(error?.status == .cancelled)
        await cancelled.pass()
    }

    @Test func aCancelledTaskStartsNothing() async throws {
        let calls = Notes<Int>()
        try bus.route("app://x") { _ in
            calls.add(1)
            return nil
        }
        let begun = Gate()
        let task = Task {
            await begun.pass()
            return try await bus.open("app://x")
        }
        task.cancel()
        begun.open()
        let error = await #expect(throws: CrosstieError.self) { try await task.value }
        #expect(error?.status == .cancelled && calls.all.isEmpty)
    }

    @Test func tenThousandCallsAtOnce() async throws {
        try bus.addComponent(
            "echo",
            actions: [
                Action("say") { (request: Request) async in
                    await Task.yield()
                    return request.params["number"]
                }
            ])
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 1...10_000 {
                group.addTask {
                    try await bus.call("echo", "say", ["number": .int(Int64(number))]).value.intValue ?? 0
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 50_005_000)
    }

    @Test func closingTheBusEndsWhatWaits() async throws {
        let (started, ended) = (Gate(), Gate())
        try bus.route("app://slow") { (_: Request) async throws in
            started.open()
            do { try await untilCancelled() } catch { ended.open() }
            return nil
        }
        let task = Task { try await bus.open("app://slow", timeout: .forever) }
        await started.pass()
        bus.close()
        let error = await #expect(throws: CrosstieError.self) { try await task.value }
        #expect(error?.status == .closed)
        await ended.pass()
        let late = await #expect(throws: CrosstieError.self) { try await bus.open("app://slow") }
        #expect(late?.status == .invalidHandle)
    }

    @Test func progressIsASequenceThatEndsWithTheRequest() async throws {
        try bus.addComponent(
            "images",
            actions: [
                Action("scale") { request in
                    for step in 1...3 { try request.progress(.int(Int64(step))) }
                    return "done"
                }
            ])
        let scaling = try bus.start(.call("images", "scale"))
        var steps: [Value] = []
        for await step in scaling.progress { steps.append(step) }
        #expect(steps == [1, 2, 3])
        #expect(try await scaling.response().value == "done")
        #expect(scaling.cancel() == .alreadyDone)
    }

    @Test func aStartedRequestCanBeCancelled() async throws {
        let started = Gate()
        try bus.route("app://slow") { (_: Request) async throws in
            started.open()
            try await untilCancelled()
            return nil
        }
        let running = try bus.start(.open("app://slow"))
        await started.pass()
        #expect(running.cancel() == .ok)
        let error = await #expect(throws: CrosstieError.self) { try await running.response() }
        #expect(error?.status == .cancelled)
    }

    @Test func objectsGoThroughAsyncCalls() async throws {
        struct Query: Codable { var id: Int }
        struct Count: Codable, Equatable { var inStock: Int }
        try bus.addComponent("stock", actions: [Action("count") { (query: Query) in Count(inStock: query.id * 2) }])
        #expect(try await bus.call("stock", "count", Query(id: 21)) as Count == Count(inStock: 42))
    }
}
