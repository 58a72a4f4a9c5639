@testable import Crosstie

/// The actions of a scenario's handler: a list, each with the status it expects.
struct ScenarioHandler: Sendable {
    let player: ScenarioPlayer
    private let bus: String
    private let actions: [ScenarioStep]

    /// - Parameter otherwise: the reply if the step has no handler.
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
        act(on: request)
        return nil
    }

    /// Does all the actions, one after the other.
    func act(on request: Request) {
        for action in actions { act(on: request, action) }
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
        if let value = try reply(of: action, to: request) { return try request.reply(value) }
        switch action.text("do") {
        case "fail": try request.fail(action.failure)
        case "deny": try request.deny(action.text("message"))
        case "refuse": try request.refuse(status(of: action, request), action.text("message"))
        case "progress": try request.progress(action.value("value"))
        case "decline": try request.decline()
        case "proceed": try request.proceed()
        case "rewrite": try request.rewrite(action.text("url"))
        case "set_params": try request.setParams(action.value("value"))
        case "set_user_info": try request.setUserInfo(action.value("value"))
        case "on_return": try request.onReturn { change($0, ScenarioStep(data: action.value("then"))) }
        case "on_cancel": try request.onCancel { player.note(action.value("text")) }
        default: try performBeside(action, request)
        }
    }

    /// The reply of an action; nil for any other action.
    private func reply(of action: ScenarioStep, to request: Request) throws -> Value? {
        switch action.text("do") {
        case "reply": action.value("value")
        case "echo": echo(action, of: request)
        case "param": try answer { .string(try request.parameter(action.text("name"))) }
        case "all": .list(request.query(all: action.text("name")).map(Value.string))
        case "open", "call", "perform", "share", "oauth", "launch":
            try answer(action) { try player.request(action, on: bus(of: action)).value }
        case "broadcast":
            try answer {
                let received = try bus(of: action).broadcast(action.text("event"), action.value("params"))
                return .int(Int64(received.count))
            }
        case "wait": try answer { try player.awaited(action.text("call")).value }
        default: nil
        }
    }

    /// Actions that neither end the request nor pass it on.
    private func performBeside(_ action: ScenarioStep, _ request: Request) throws {
        switch action.text("do") {
        case "keep": player.add(try request.retain(), as: action.text("as"))
        case "drop": _ = try request.retain()
        case "later": try actLater(request, action)
        case "block": player.wait_there(at: action.gate)
        case "outlast": player.outlast(request)
        case "note": player.note(action.has("part") ? part(action.text("part"), of: request) : action.value("text"))
        case "remove": try remove(action)
        case "rules": try player.loadRules(action, on: bus(of: action))
        case "unload_rules": try bus(of: action).unloadRules()
        case "nothing": break
        default: throw Unexpected("no such action: \(action.text("do"))")
        }
    }

    private func bus(of action: ScenarioStep) throws -> Bus { try player.find(Bus.self, action.text("bus", or: bus)) }

    private func remove(_ action: ScenarioStep) throws {
        if action.has("component") {
            try bus(of: action).removeComponent(named: action.text("component"))
        } else if action.has("provider") {
            try bus(of: action).removeProvider(named: action.text("provider"))
        } else {
            try player.find(Registration.self, action.text("registration")).remove()
        }
    }

    /// A status that the action says, or that a parameter of the request does.
    private func status(of action: ScenarioStep, _ request: Request) throws -> Status {
        let name = action.has("param") ? try request.parameter(action.text("param")) : action.text("with")
        guard let status = (-64...1).lazy.map(Status.init(rawValue:)).first(where: { $0.shortName == name }) else {
            throw Unexpected("no such status: \(name)")
        }
        return status
    }

    /// The actions on a response on its way back.
    private func change(_ returning: ReturningResponse, _ action: ScenarioStep) {
        do {
            switch action.text("do") {
            case "replace": try returning.replace(action.value("value"))
            case "fail": try returning.fail(action.failure)
            default:
                let part = returning.response.part(action.text("part"))
                player.note(action.has("part") ? part : action.value("text"))
            }
        } catch {
            player.fail("on the way back: \(error)")
        }
    }

    /// The result, or the status of the failure; with its message if the action wants that.
    private func answer(_ action: ScenarioStep? = nil, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as CrosstieError {
            let status = Value.string(error.status.shortName)
            guard action?.flag("explained") == true else { return ["error": status] }
            return ["error": status, "message": .string(error.message)]
        }
    }

    private func actLater(_ request: Request, _ action: ScenarioStep) throws {
        let kept = try request.retain()
        let then = ScenarioHandler(player, bus: bus, action.data["then"] ?? .null)
        inThread { then.act(on: kept.request) }
    }
}

extension ScenarioStep {
    /// Whether an action is to be done for a URL.
    fileprivate func concerns(_ url: String) -> Bool {
        has("when") ? url == text("when") : !has("unless") || url != text("unless")
    }

    fileprivate var failure: HandlerFailure {
        HandlerFailure(
            code: Int32(truncatingIfNeeded: number("code") ?? -1), message: text("message"), value: value("value"))
    }
}

extension Response {
    fileprivate func part(_ name: String) -> Value {
        switch name {
        case "status": .string(status.shortName)
        case "code": .int(Int64(code))
        case "message": .string(message)
        default: value
        }
    }
}
