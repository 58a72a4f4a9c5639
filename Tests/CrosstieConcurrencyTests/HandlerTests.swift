import CrosstieConcurrency
import Testing

/// An actor as a component.
private actor Stock: Component {
    static var actions: [Action] {
        [
            Action("take", of: Stock.self) { stock, request in
                .int(await stock.take(request.params["count"]?.intValue ?? 1))
            }
        ]
    }

    private var left: Int64 = 10

    func take(_ count: Int64) -> Int64 {
        left -= count
        return left
    }
}

/// A component with an `async` method.
private final class Home: Component {
    static var actions: [Action] { [Action("greet", Home.greet)] }

    func greet(_ request: Request) async throws -> Value? {
        await Task.yield()
        return "hello"
    }
}

/// Handlers that may wait.
@Suite struct HandlerTests {
    let bus: Bus

    init() throws { bus = try Bus("handlers") }

    @Test func anAsyncHandlerAnswersCallersOfEveryKind() async throws {
        try bus.route("app://users/:id") { request in
            await Task.yield()
            return .string("user \(request["id"] ?? "")")
        }
        #expect(try await bus.open("app://users/42").value == "user 42")
        #expect(try bus.openAsync("app://users/7").wait().value == "user 7")
    }

    @Test func methodsAndActorsAreActions() async throws {
        try bus.addComponent(Home())
        try bus.addComponent(Stock(), name: "stock")
        #expect(try await bus.call("Home", "greet").value == "hello")
        #expect(try await bus.call("stock", "take", ["count": 3]).value == 7)
        #expect(try await bus.call("stock", "take").value == 6)
    }

    @Test func anErrorFailsTheRequest() async throws {
        struct SoldOut: Error {}
        try bus.route("app://coded") { (_: Request) async throws in
            await Task.yield()
            throw HandlerFailure(code: 7, message: "sold out", value: ["left": 0])
        }
        try bus.route("app://plain") { (_: Request) async throws in
            await Task.yield()
            throw SoldOut()
        }
        let coded = await #expect(throws: CrosstieError.self) { try await bus.open("app://coded") }
        #expect(coded?.response?.code == 7 && coded?.response?.value == ["left": 0])
        let plain = await #expect(throws: CrosstieError.self) { try await bus.open("app://plain") }
        #expect(plain?.response?.code == -1 && plain?.message == "SoldOut()")
    }

    @Test func silenceIsSuccessForURLsAndNoReplyForCalls() async throws {
        let silent: AsyncHandler = { _ in
            await Task.yield()
            return nil
        }
        try bus.route("app://silent", handler: silent)
        try bus.addComponent("silent", actions: [Action("say", handler: silent)])
        #expect(try await bus.open("app://silent").value == .null)
        let error = await #expect(throws: CrosstieError.self) { try await bus.call("silent", "say") }
        #expect(error?.status == .noReply)
    }

    @Test func asyncActionsDoNotBlock() {
        let nothing: AsyncHandler = { _ in nil }
        #expect(Action("a", handler: nothing).isNonblocking)
        #expect(!Action("a", isWorkerOnly: true, handler: nothing).isNonblocking)
    }

    @Test func cancellingTheRequestCancelsTheTask() async throws {
        let (started, ended) = (Gate(), Gate())
        try bus.addComponent(
            "slow",
            actions: [
                Action("wait") { (_: Request) async throws in
                    started.open()
                    do { try await untilCancelled() } catch { ended.open() }
                    return nil
                }
            ])
        let call = try bus.callAsync("slow", "wait")
        await started.pass()
        #expect(call.cancel() == .ok)
        await ended.pass()
        #expect(call.status == .cancelled)
    }

    @Test func theDeadlineCancelsTheTask() async throws {
        let ended = Gate()
        try bus.route("app://slow") { (_: Request) async throws in
            do { try await untilCancelled() } catch { ended.open() }
            return nil
        }
        let error = await #expect(throws: CrosstieError.self) {
            try await bus.open("app://slow", timeout: .milliseconds(1))
        }
        #expect(error?.status == .timedOut)
        // The handler may not have been started.
        if error?.response?.status == nil { await ended.pass() }
    }

    /// Were a thread to wait with each of them, the gate could not be reached.
    @Test func waitingTakesNoThread() async throws {
        let gate = Gate()
        try bus.route("app://wait") { (_: Request) async in
            await gate.pass()
            return 1
        }
        try bus.route("app://open") { (_: Request) async in
            gate.open()
            return 1
        }
        let count = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<2000 {
                group.addTask { try await bus.open("app://wait", timeout: .forever).value.intValue ?? 0 }
            }
            group.addTask { try await bus.open("app://open").value.intValue ?? 0 }
            return try await group.reduce(0, +)
        }
        #expect(count == 2001)
    }

    @Test func requestsOfARemoteRequestAreRemote() async throws {
        try bus.route("app://private") { _ in "secret" }
        try bus.route("app://public", isPublic: true) { (_: Request) async throws in
            await Task.yield()
            return try await bus.open("app://private").value
        }
        #expect(try await bus.open("app://public").value == "secret")
        let error = await #expect(throws: CrosstieError.self) { try await bus.open("app://public", origin: .remote) }
        #expect(error?.status == .handlerFailed)
    }

    @Test func tasksThatOutliveARemoteRequestStayRemote() async throws {
        let (ended, results) = (Gate(), Notes<Status>())
        let done = Gate()
        try bus.route("app://private") { _ in "secret" }
        try bus.route("app://public", isPublic: true) { (_: Request) async throws in
            Task {
                await ended.pass()
                do throws(CrosstieError) {
                    try await bus.open("app://private")
                    results.add(.ok)
                } catch {
                    results.add(error.status)
                }
                done.open()
            }
            return "begun"
        }
        #expect(try await bus.open("app://public", origin: .remote).value == "begun")
        ended.open()
        await done.pass()
        #expect(results.all == [.denied])
    }
}
