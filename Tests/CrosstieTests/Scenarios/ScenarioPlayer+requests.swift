import Synchronization

@testable import Crosstie

/// An asynchronous request, the responses that its completion was given, and its progress.
final class PendingRequest: Sendable {
    private let state = Mutex((call: Call?.none, responses: [Response]()))
    let progress = ScenarioProgress()

    var call: Call? { state.withLock { $0.call } }
    var responses: [Response] { state.withLock { $0.responses } }

    func complete(_ response: Response) { state.withLock { $0.responses.append(response) } }

    func start(_ start: () throws -> Call) rethrows {
        let call = try start()
        state.withLock { $0.call = call }
    }
}

/// The progress of one request.
final class ScenarioProgress: Sendable {
    private let values = Mutex<[Value]>([])

    func receive(_ value: Value) { values.withLock { $0.append(value) } }

    func expect(_ step: ScenarioStep) throws {
        if step.has("progress") { try step.expect("progress", .list(values.withLock { $0 }), step.value("progress")) }
    }
}

/// Requests of every kind.
extension ScenarioPlayer {
    func options(_ step: ScenarioStep, _ progress: ScenarioProgress? = nil) -> RequestOptions {
        let milliseconds = step.number("timeout_ms") ?? 30_000
        var options = RequestOptions(
            origin: step.origin, userInfo: step.value("user_info"),
            timeout: ScenarioPlayer.timeout(milliseconds), mode: step.mode("mode"),
            isCached: step.flag("cached"), interceptors: interceptors(step), dispatcher: step.text("dispatcher"),
            priority: step.number("priority").flatMap { Priority(rawValue: Int32($0)) } ?? .normal,
            progress: step.has("progress") ? progress?.receive : nil)
        options.reach = step.reach
        return options
    }

    /// In scenarios 0 is the default and a negative number no deadline.
    static func timeout(_ milliseconds: Int64) -> Duration? {
        if milliseconds == 0 { return nil }
        return milliseconds < 0 ? .forever : .milliseconds(milliseconds)
    }

    /// Makes the request of a step, or of a handler's action.
    func request(_ step: ScenarioStep, on bus: Bus, _ progress: ScenarioProgress? = nil) throws -> Response {
        let options = options(step, progress)
        if let response = try handOff(step, on: bus, options) { return response }
        let params = step.value("params")
        switch step.text("do") {
        case "call": return try bus.call(step.text("component"), step.text("action"), params, options: options)
        case "perform": return try bus.perform(step.text("target"), step.text("selector"), params, options: options)
        default: return try bus.open(step.text("url"), options: options)
        }
    }

    func request(_ step: ScenarioStep) throws {
        let progress = ScenarioProgress()
        defer { check { try progress.expect(step) } }
        do {
            try step.expectResponse(try request(step, on: bus(step), progress))
        } catch let error as CrosstieError {
            if let response = error.response { try step.expectResponse(response) }
            try step.expectNumber("code", error.response?.code ?? error.status.code)
            throw error
        }
    }

    private func start(_ step: ScenarioStep, _ pending: PendingRequest) throws {
        let bus = try bus(step)
        let options = options(step, pending.progress)
        let params = step.value("params")
        try pending.start {
            if let call = try handOffAsync(step, on: bus, options, pending.complete) { return call }
            return switch step.text("do") {
            case "call_async":
                try bus.callAsync(
                    step.text("component"), step.text("action"), params, options: options, completion: pending.complete)
            case "broadcast_async":
                try bus.broadcastAsync(step.text("event"), params, options: options, completion: pending.complete)
            case "perform_async":
                try bus.performAsync(
                    step.text("target"), step.text("selector"), params, options: options, completion: pending.complete)
            default: try bus.openAsync(step.text("url"), options: options, completion: pending.complete)
            }
        }
    }

    func requestAsync(_ step: ScenarioStep) async throws {
        let pending = PendingRequest()
        do {
            try start(step, pending)
        } catch let error as CrosstieError {
            try step.expect("refused", step.flag("refused"), true)
            throw error
        }
        try step.expect("refused", step.flag("refused"), false)
        add(pending, as: step.text("as"))
        if !step.has("as") { try await finish(step, pending) }
    }

    private func finish(_ step: ScenarioStep, _ pending: PendingRequest) async throws {
        let response = try await wait(for: "the completion") { pending.responses.first }
        try step.expect("the call's status", pending.call?.wait(for: .zero).status, response.status)
        try step.expect("completions", pending.responses.count, 1)
        try step.expectResponse(response)
        try pending.progress.expect(step)
    }

    func wait(_ step: ScenarioStep) async throws {
        let pending = try find(PendingRequest.self, step.text("call"))
        guard step.flag("given_up") else { return try await finish(step, pending) }
        do throws(CrosstieError) {
            _ = try pending.call?.wait(for: .milliseconds(step.number("timeout_ms") ?? 0))
        } catch {
            return try step.expect("waiting", error.status, .timedOut)
        }
        throw Unexpected("waiting was not given up")
    }

    func cancel(_ step: ScenarioStep) throws {
        let pending = try find(PendingRequest.self, step.text("call"))
        try step.expectStatus(pending.call?.cancel() ?? .invalidHandle)
    }
}

/// Requests that a handler has kept.
extension ScenarioPlayer {
    func kept(_ step: ScenarioStep) async throws -> RetainedRequest {
        let name = step.text("request")
        return try await wait(for: "the request \(name)") { lookUp(RetainedRequest.self, name) }
    }

    func releaseRequest(_ step: ScenarioStep) async throws {
        _ = try await kept(step)
        giveUp(RetainedRequest.self, step.text("request"))
    }

    func act(_ step: ScenarioStep) async throws {
        let kept = try await kept(step)
        ScenarioHandler(self, bus: "bus", step.data["then"] ?? .null).act(on: kept.request)
    }
}
