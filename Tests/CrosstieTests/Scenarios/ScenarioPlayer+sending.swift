@testable import Crosstie
@testable import CrosstieWormhole

/// The number of a message that waits for its time.
final class ScenarioNumber: Sendable {
    let number: UInt64

    init(_ number: UInt64) { self.number = number }
}

/// Sending with headers and times, and what waits for its time.
extension ScenarioPlayer {
    func send(_ step: ScenarioStep) throws {
        var options = Wormhole.SendOptions()
        let headers = ScenarioStep(data: step.data["headers"] ?? .null)
        for (name, _) in headers.data.mapValue ?? ValueMap() { options.headers[name] = headers.text(name) }
        options.expires = step.number("expires_ms").map { $0 <= 0 ? .forever : .milliseconds($0) }
        options.delay = step.number("delay_ms").map { .milliseconds($0) }
        if step.has("token") { options.token = Array(step.text("token").utf8) }
        let sent = try send(step, options)
        try step.expectSent(sent)
        if step.has("as") { add(ScenarioNumber(sent.sequence), as: step.text("as")) }
    }

    private func send(_ step: ScenarioStep, _ options: Wormhole.SendOptions) throws -> Wormhole.Sent {
        let (wormhole, id) = (try wormhole(step), step.text("id"))
        if step.flag("signal") { return try wormhole.signal(id, options: options) }
        let hasOptions = ["headers", "expires_ms", "delay_ms", "token"].contains(where: step.has)
        let value = step.value("value")
        return hasOptions ? try wormhole.send(id, value, options: options) : try wormhole.send(id, value)
    }

    func expectScheduled(_ step: ScenarioStep) throws {
        let found = try wormhole(step).scheduled(step.text("id", or: "*")).map { message -> Value in
            [
                "id": .string(message.identifier), "kind": .string("\(message.kind)"),
                "headers": ScenarioStep.map(message.headers),
            ]
        }
        try step.expectStatus(.ok)
        try step.expectValue(.list(found))
    }

    func cancelScheduled(_ step: ScenarioStep) throws {
        let number = try find(ScenarioNumber.self, step.text("of")).number
        try step.expectStatus(try wormhole(step).cancelScheduled(number) ? .ok : .notFound)
    }
}

extension ScenarioStep {
    /// Texts as a value.
    static func map(_ texts: [String: String]) -> Value {
        .map(ValueMap(texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }
}
