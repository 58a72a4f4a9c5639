@testable import Crosstie

/// An object whose actions are those that the step describes that is registering it.
class ScenarioObject: Component, @unchecked Sendable {
    @TaskLocal static var described: [Action] = []

    class var actions: [Action] { described }

    required init() {}
}

final class ScenarioScreen: ScenarioObject, @unchecked Sendable {}
final class SmallScenarioScreen: ScenarioObject, @unchecked Sendable {}

/// Components and events.
extension ScenarioPlayer {
    func addComponent(_ step: ScenarioStep) throws {
        let bus = try bus(step)
        let name = step.text("name")
        let options = ComponentOptions(
            doc: step.text("doc"), dispatcher: step.text("dispatcher"),
            priority: Int32(truncatingIfNeeded: step.number("priority") ?? 0), isReplacing: step.flag("replace"),
            interceptors: interceptors(step))
        let registered = try ScenarioObject.$described.withValue(actions(step)) {
            if step.flag("lazy") {
                return try bus.addComponent(lazily: ScenarioObject.self, name: name, options: options) {
                    try self.make(step)
                }
            }
            if step.has("factory") || step.has("instance") || step.has("type") {
                let object: any Component = try object(step)
                return try bus.addComponent(object, name: name, options: options)
            }
            return try bus.addComponent(name, actions: actions(step), options: options)
        }
        try step.expectStatus(.ok)
        add(registered, as: step.text("as"))
    }

    /// The actions of a list, or the only one, which the step itself describes.
    private func actions(_ step: ScenarioStep) -> [Action] {
        guard step.has("actions") else { return [action(step, step.text("action", or: "run"), doc: "")] }
        return step.steps("actions").map { action($0, $0.text("name"), doc: $0.text("doc")) }
    }

    private func action(_ step: ScenarioStep, _ name: String, doc: String) -> Action {
        let handler = ScenarioHandler(self, step, otherwise: name)
        return Action(
            name, doc: doc, isEvent: step.flag("event"), isWorkerOnly: step.flag("worker_only"), handler: handler.handle
        )
    }

    /// The action of a factory.
    private func make(_ step: ScenarioStep) throws -> ScenarioObject {
        note(step.value("factory"))
        if step.flag("barren") { throw CrosstieError(.notAComponent, "the factory gives nothing") }
        return kind(step).init()
    }

    /// Components that are one instance have the same object.
    private func object(_ step: ScenarioStep) throws -> ScenarioObject {
        if step.has("factory") { return try make(step) }
        let name = step.text("instance")
        if step.has("instance"), let known = lookUp(ScenarioObject.self, name) { return known }
        let object = kind(step).init()
        if step.has("instance") { add(object, as: name) }
        return object
    }

    private func kind(_ step: ScenarioStep) -> ScenarioObject.Type {
        switch step.text("type") {
        case "Screen": ScenarioScreen.self
        case "screen": SmallScenarioScreen.self
        default: ScenarioObject.self
        }
    }

    func removeComponent(_ step: ScenarioStep) throws -> Status {
        let bus = try bus(step)
        if step.has("component") { return try bus.removeComponent(named: step.text("component")) }
        if step.has("instance") {
            return try bus.removeComponents(of: find(ScenarioObject.self, step.text("instance")))
        }
        let kind: any Component.Type = kind(step)
        return try bus.removeComponents(of: kind)
    }

    func listComponents(_ step: ScenarioStep) throws {
        let found = try bus(step).components()
        for component in found { try step.expect("language", component.language, "swift") }
        try step.expectValue(.list(found.map(\.value)))
    }

    func broadcast(_ step: ScenarioStep) throws {
        let result = try bus(step).broadcast(step.text("event"), step.value("params"), options: options(step))
        try step.expectStatus(.ok)
        try step.expectNumber("count", result.count)
        try step.expect("any", result.any, step.flag("any"))
        let expected = step.steps("failures")
        try step.expect("failures", result.failures.count, expected.count)
        for (failure, wanted) in zip(result.failures, expected) {
            try wanted.expectText("component", failure.component)
            try wanted.expectText("peer", failure.peer)
            try wanted.expectText("message", failure.message)
            try wanted.expectNumber("code", failure.code)
            try wanted.expectStatus(failure.status)
        }
    }
}

extension ComponentDescription {
    /// As the step expects it, without language and type.
    fileprivate var value: Value {
        [
            "name": .string(name), "doc": .string(doc), "dispatcher": .string(dispatcher),
            "priority": .int(Int64(priority)), "static": .bool(isStatic), "actions": .list(actions.map(\.value)),
        ]
    }
}

extension ComponentDescription.Action {
    fileprivate var value: Value {
        ["name": .string(name), "doc": .string(doc), "event": .bool(isEvent), "worker_only": .bool(isWorkerOnly)]
    }
}
