import Synchronization

@testable import Crosstie
@testable import CrosstieWormhole

/// A listener, and the messages that it has received and no step has expected yet.
final class ScenarioListener: Sendable {
    let name: String
    private let consumed = Mutex<[Message]>([])
    private let taken = Mutex<Message?>(nil)

    init(name: String) { self.name = name }

    var hasMore: Bool { consumed.withLock { !$0.isEmpty } }

    func receive(_ message: Message) { consumed.withLock { $0.append(message) } }

    func next() -> Message? {
        guard let message = consumed.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
        taken.withLock { $0 = message }
        return message
    }

    /// The last result of ``next()``.
    var last: Message? { taken.withLock { $0 } }
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
        options.isInMemory = isInMemory
        options.name = step.text("name", or: "player")
        options.mustExist = step.flag("existing")
        if let size = step.number("max_value_size") { options.maximumValueSize = Int(size) }
        if let count = step.number("max_queued") { options.maximumQueued = UInt64(count) }
        if let count = step.number("retain_count") { options.retainCount = UInt64(count) }
        options.delay = .milliseconds(step.number("delay_ms") ?? 0)
        options.expires = step.number("expires_ms").map { .milliseconds($0) }
        let wormhole = try Wormhole(group, options: options)
        try step.expectStatus(.ok)
        add(wormhole, as: step.text("as", or: "wormhole"))
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
        let listener = try bind(step, wormhole) { [weak wormhole] message in
            log.receive(message)
            if let then, let wormhole { self.react(then, to: message, wormhole) }
        }
        try step.expectStatus(.ok)
        add(log, as: log.name)
        add(listener, as: log.name)
    }

    private func bind(
        _ step: ScenarioStep, _ wormhole: Wormhole, _ body: @escaping @Sendable (Message) -> Void
    ) throws -> Listener {
        let name = step.has("name") ? step.text("name") : nil
        guard step.has("queue") || step.has("durable") else {
            return try wormhole.listen(
                step.text("id"), name: name, initialDelivery: step.flag("initial_delivery", or: true), body)
        }
        var options = Wormhole.QueueOptions()
        options.isDurable = step.has("durable")
        options.isManual = step.flag("manual")
        options.fromOldest = step.flag("from_oldest")
        if let sequence = step.number("from_sequence") { options.start = .sequence(UInt64(sequence)) }
        if let time = try time(step, "from_time_of") { options.start = .time(time) }
        options.maximumUnacknowledged = step.number("max_unacknowledged").map { Int($0) }
        return try wormhole.queue(
            step.text("id"), name: options.isDurable ? step.text("durable") : name, options: options, body)
    }

    /// Reacts to a received message.
    private func react(_ action: ScenarioStep, to message: Message, _ wormhole: Wormhole) {
        if let delivery = action.number("delivery_count"), delivery != Int64(message.deliveryCount) { return }
        do {
            switch action.text("do") {
            case "send": try wormhole.send(action.text("id"), action.value("value"))
            case "block": wait_there(at: action.gate)
            case "unlisten": try check(remove(action, of: wormhole))
            default: try check(reconcile(action, message))
            }
        } catch {
            fail("in the listener: \(error)")
        }
    }

    private func check(_ status: Status) throws {
        guard status.isSuccess else { throw Unexpected("in the listener: \(status.shortName)") }
    }

    /// Acknowledges a message or rejects it.
    private func reconcile(_ action: ScenarioStep, _ message: Message) -> Status {
        guard action.text("do") == "reject" else { return message.acknowledge() }
        let delay = action.number("delay_ms") ?? 0
        return message.reject(after: delay < 0 ? nil : .milliseconds(delay), reason: action.text("reason", or: ""))
    }

    /// The last message of a listener that a step has expected.
    func reconcile(_ step: ScenarioStep) throws {
        let log = try find(ScenarioListener.self, step.text("of"))
        guard let message = log.last else { throw Unexpected("the listener \(log.name) has received nothing") }
        try step.expectStatus(reconcile(step, message))
    }

    func forget(_ step: ScenarioStep) throws {
        let isThere = try wormhole(step).forget(step.text("id"), name: step.text("durable"))
        try step.expectStatus(isThere ? .ok : .notFound)
    }

    func unlisten(_ step: ScenarioStep) throws {
        if step.has("listener") {
            try step.expectStatus(find(Listener.self, step.text("listener")).remove())
        } else {
            try step.expectStatus(remove(step, of: wormhole(step)))
        }
    }

    private func remove(_ step: ScenarioStep, of wormhole: Wormhole) throws -> Status {
        if step.has("name") { return try wormhole.removeListener(step.text("id"), name: step.text("name")) }
        return step.has("id") ? try wormhole.removeListeners(step.text("id")) : wormhole.removeListeners()
    }

    func expectListeners(_ step: ScenarioStep) throws {
        let found = try wormhole(step).listeners().map { listener -> Value in
            [
                "identifier": listener.identifier.map(Value.string) ?? .null, "name": .string(listener.name),
                "delivery": .string(listener.delivery.rawValue), "executor": .string("\(listener.location)"),
            ]
        }
        try step.expectValue(.list(found))
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
        try expectNumber("delivery_count", message.deliveryCount)
        try expectNumber("missed", message.missed)
        if has("headers") {
            try expect("headers", ScenarioStep.map(message.headers), value("headers"))
        }
        try expectValue(message.value ?? .null)
    }
}
