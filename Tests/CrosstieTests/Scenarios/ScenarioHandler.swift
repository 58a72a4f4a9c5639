@testable import Crosstie

/// What a handler of a scenario does: a list of actions, each with the status it expects.
struct ScenarioHandler: Sendable {
    private let player: ScenarioPlayer
    private let bus: String
    private let actions: [ScenarioStep]

    /// - Parameter otherwise: what is replied where the step has no handler.
    init(_ player: ScenarioPlayer, _ step: ScenarioStep, otherwise: String = "") {
        let reply: Value = ["do": "reply", "value": .string(otherwise)]
        self.init(player, bus: step.text("bus", or: "bus"), step.data["handler"] ?? reply)
    }

    init(_ player: ScenarioPlayer, bus: String, _ actions: Value) {
        self.player = player
        self.bus = bus
        self.actions = (actions.listValue ?? [actions]).map(ScenarioStep.init)
    }

    func handle(_ request: Request) -> Value? {
        for action in actions { act(on: request, action) }
        return nil
    }

    private func act(on request: Request, _ action: ScenarioStep) {
        guard action.concerns(request.url) else { return }
        do {
            try perform(action, on: request)
            try action.expectStatus(.ok)
        } catch let error as CrosstieError where error.status.shortName == action.text("status", or: "OK") {
            return
        } catch {
            player.fail("in the handler: \(error)")
        }
    }

    private func perform(_ action: ScenarioStep, on request: Request) throws {
        switch action.text("do") {
        case "reply": try request.reply(action.value("value"))
        case "echo": try request.reply(echo(action, of: request))
        case "param": try request.reply(answer { .string(try request.parameter(action.text("name"))) })
        case "all": try request.reply(.list(request.query(all: action.text("name")).map(Value.string)))
        case "open": try request.reply(answer { try openNested(action) })
        case "fail": try request.fail(failure(action))
        case "deny": try request.deny(action.text("message"))
        case "decline": try request.decline()
        case "proceed": try request.proceed()
        case "rewrite": try request.rewrite(action.text("url"))
        default: try performBeside(action, request)
        }
    }

    /// What neither ends the request nor hands it on.
    private func performBeside(_ action: ScenarioStep, _ request: Request) throws {
        switch action.text("do") {
        case "keep": player.add(try request.retain(), as: action.text("as"))
        case "drop": _ = try request.retain()
        case "later": try answerLater(request, action)
        case "note": player.note(action.has("part") ? part(action.text("part"), of: request) : action.value("text"))
        case "remove": try player.find(Registered.self, action.text("registration")).remove()
        case "rules": try player.loadRules(action, on: player.find(Bus.self, bus))
        case "nothing": break
        default: throw Unexpected("no such action: \(action.text("do"))")
        }
    }

    /// What came of it, or the status of what it failed for.
    private func answer(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as CrosstieError {
            return ["error": .string(error.status.shortName)]
        }
    }

    private func openNested(_ action: ScenarioStep) throws -> Value {
        let bus = try player.find(Bus.self, action.text("bus", or: bus))
        return try bus.open(action.text("url"), origin: action.origin, userInfo: action.value("user_info")).value
    }

    private func failure(_ action: ScenarioStep) -> HandlerFailure {
        HandlerFailure(
            code: Int32(truncatingIfNeeded: action.number("code") ?? -1), message: action.text("message"),
            value: action.value("value"))
    }

    private func answerLater(_ request: Request, _ action: ScenarioStep) throws {
        let kept = try request.retain()
        inThread { act(on: kept.request, ScenarioStep(data: action.value("then"))) }
    }
}

/// The parts of a request that a handler may reply.
extension ScenarioHandler {
    private func echo(_ action: ScenarioStep, of request: Request) -> Value {
        let parts = (action.data["parts"]?.listValue ?? []).compactMap(\.stringValue)
        let values = parts.map { ($0, part($0, of: request)) }
        return values.count == 1 ? values[0].1 : .map(ValueMap(values))
    }

    private func part(_ name: String, of request: Request) -> Value {
        switch name {
        case "url": .string(request.url)
        case "scheme": .string(request.scheme)
        case "host": .string(request.host)
        case "path": .string(request.path)
        case "query": request.queryText.map(Value.string) ?? .null
        case "fragment": request.fragment.map(Value.string) ?? .null
        case "pattern": .string(request.pattern)
        case "params": .map(ValueMap(request.pathParameters.map { ($0.name, .string($0.value)) }))
        case "pairs": .list(request.query.map { [.string($0.name), .string($0.value)] })
        case "converted": .map(request.parameters)
        case "unmatched": .string(request.unmatched)
        case "rule": request.rule ?? .null
        case "user_info": request.userInfo
        default: .string(request.origin == .local ? "local" : "remote")
        }
    }
}

extension ScenarioStep {
    /// Whether an action is to be done for a URL.
    fileprivate func concerns(_ url: String) -> Bool {
        has("when") ? url == text("when") : !has("unless") || url != text("unless")
    }
}
