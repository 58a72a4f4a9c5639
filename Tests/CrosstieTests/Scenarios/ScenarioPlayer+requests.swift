import Synchronization

@testable import Crosstie

/// An asynchronous request, and the responses that its completion was given.
final class PendingRequest: Sendable {
    private let state = Mutex((call: Call?.none, responses: [Response]()))

    var call: Call? { state.withLock { $0.call } }
    var responses: [Response] { state.withLock { $0.responses } }

    func start(on bus: Bus, _ step: ScenarioStep, _ interceptors: [Handler]) throws {
        let call = try bus.openAsync(
            step.text("url"), origin: step.origin, userInfo: step.value("user_info"), mode: step.mode("mode"),
            interceptors: interceptors,
            completion: { [self] response in state.withLock { $0.responses.append(response) } })
        state.withLock { $0.call = call }
    }
}

/// Asynchronous requests, and requests that a handler has kept.
extension ScenarioPlayer {
    func openAsync(_ step: ScenarioStep) async throws {
        let pending = PendingRequest()
        do {
            try pending.start(on: bus(step), step, interceptors(step))
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
        try step.expect("the call's status", pending.call?.wait(milliseconds: 0).status, response.status)
        try step.expect("completions", pending.responses.count, 1)
        try step.expectResponse(response)
    }

    func wait(_ step: ScenarioStep) async throws {
        let pending = try find(PendingRequest.self, step.text("call"))
        guard step.flag("given_up") else { return try await finish(step, pending) }
        do throws(CrosstieError) {
            _ = try pending.call?.wait(milliseconds: step.number("timeout_ms") ?? 0)
        } catch {
            return try step.expect("waiting", error.status, .timeout)
        }
        throw Unexpected("waiting was not given up")
    }

    func cancel(_ step: ScenarioStep) throws {
        let pending = try find(PendingRequest.self, step.text("call"))
        try step.expectStatus(pending.call?.cancel() ?? .handle)
    }

    func kept(_ step: ScenarioStep) async throws -> RetainedRequest {
        let name = step.text("request")
        return try await wait(for: "the request \(name)") { lookUp(RetainedRequest.self, name) }
    }

    func letGo(_ step: ScenarioStep) async throws {
        _ = try await kept(step)
        giveUp(RetainedRequest.self, step.text("request"))
    }
}
