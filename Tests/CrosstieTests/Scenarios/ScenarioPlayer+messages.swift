internal import Glibc
import Synchronization

@testable import Crosstie

/// A listener, and what it has heard that no step has expected yet.
final class ScenarioListener: Sendable {
    let name: String
    private let heard = Mutex<[Message]>([])

    init(name: String) { self.name = name }

    var hasMore: Bool { heard.withLock { !$0.isEmpty } }

    func hear(_ message: Message) { heard.withLock { $0.append(message) } }

    func next() -> Message? { heard.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}

/// Wormholes and listeners.
extension ScenarioPlayer {
    func wormhole(_ step: ScenarioStep) throws -> Wormhole {
        try find(Wormhole.self, step.text("wormhole", or: "wormhole"))
    }

    func openWormhole(_ step: ScenarioStep) throws {
        let group = step.text("group", or: "scenario")
        var options = WormholeOptions()
        options.directory = "\(directory)/\(group)"
        options.name = step.text("name", or: "player")
        if let size = step.number("max_value_size") { options.maximumValueSize = Int(size) }
        if let count = step.number("max_queued") { options.maximumQueued = UInt64(count) }
        let wormhole = try Wormhole(group, options: options)
        try step.expectStatus(.ok)
        add(wormhole, as: step.text("as", or: "wormhole"))
    }

    func passMany(_ step: ScenarioStep) throws {
        let messages = step.steps("messages").map { message in
            (message.text("id"), message.flag("signal") ? nil : message.value("value"))
        }
        let first = try wormhole(step).send(many: messages)
        try step.expectStatus(.ok)
        try step.expectNumber("sequence", first)
    }

    func expectMembers(_ step: ScenarioStep) throws {
        let members = try wormhole(step).members()
        let expected = step.steps("members")
        try step.expect("how many members", members.count, expected.count)
        for (member, expected) in zip(members, expected) {
            try expected.expectText("name", member.name)
            try expected.expect("self", member.isSelf, expected.flag("self"))
            try expected.expect("here", member.pid == getpid(), expected.flag("here", or: true))
            try expected.expect("since", member.since > 0, true)
        }
    }

    func message(_ step: ScenarioStep) throws {
        guard let message = try wormhole(step).message(step.text("id")) else { return try step.expectStatus(.notFound) }
        try step.expectStatus(message.status)
        try step.expectMessage(message)
    }

    func listen(_ step: ScenarioStep) throws {
        let wormhole = try wormhole(step)
        let log = ScenarioListener(name: step.text("as"))
        let then = step.data["then"].map(ScenarioStep.init)
        let listener = try wormhole.listen(
            step.text("id"), name: step.has("name") ? step.text("name") : nil,
            firstFire: step.flag("first_fire", or: true)
        ) { [weak wormhole] message in
            log.hear(message)
            if let then, let wormhole { self.react(then, wormhole) }
        }
        try step.expectStatus(.ok)
        add(log, as: log.name)
        add(listener, as: log.name)
    }

    /// What a listener does each time.
    private func react(_ action: ScenarioStep, _ wormhole: Wormhole) {
        do {
            if action.text("do") == "pass" {
                try wormhole.send(action.text("id"), action.value("value"))
            } else if !wormhole.removeListener(action.text("id"), name: action.text("name")).isSuccess {
                throw Unexpected("the listener could not be removed")
            }
        } catch {
            fail("in the listener: \(error)")
        }
    }

    func unlisten(_ step: ScenarioStep) throws {
        if step.has("listener") {
            try step.expectStatus(find(Listener.self, step.text("listener")).remove())
        } else if step.has("id") {
            try step.expectStatus(wormhole(step).removeListener(step.text("id"), name: step.text("name")))
        } else {
            try step.expectStatus(wormhole(step).removeListeners())
        }
    }

    func expectEvents(_ step: ScenarioStep) async throws {
        let log = try find(ScenarioListener.self, step.text("of"))
        for event in step.steps("events") {
            try event.expectMessage(try await wait(for: "an event of \(log.name)", log.next))
        }
    }

    /// Skips older messages, as state delivery may; they have to come in order.
    func expectNewest(_ step: ScenarioStep) async throws {
        let log = try find(ScenarioListener.self, step.text("of"))
        let event = ScenarioStep(data: step.data["event"] ?? .null)
        var before: UInt64 = 0
        while true {
            let message = try await wait(for: "an event of \(log.name)", log.next)
            try step.expect("messages in order", message.sequence >= before, true)
            before = message.sequence
            if (try? event.expectMessage(message)) != nil { return }
        }
    }
}

extension ScenarioStep {
    func expectSent(_ sent: Wormhole.Sent) throws {
        try expectStatus(.ok)
        try expectNumber("sequence", sent.sequence)
        try expectNumber("listeners", sent.listeners)
    }

    func expectMessage(_ message: Message) throws {
        try expectText("kind", "\(message.kind)")
        try expectText("id", message.identifier)
        try expectText("sender", message.senderName)
        try expectNumber("sequence", message.sequence)
        try expectNumber("delivery", message.delivery)
        try expectNumber("missed", message.missed)
        try expectValue(message.value ?? .null)
    }
}
