import Crosstie
internal import Glibc

@testable import CrosstieWormhole

/// Durable consumers.
extension ScenarioPlayer {
    func declare(_ step: ScenarioStep) throws {
        var options = DurableOptions()
        options.maximumDeliveries = UInt32(step.number("max_deliveries") ?? 0)
        options.deadLetterIdentifier = step.text("dead_letter", or: "")
        options.maximumMessages = UInt64(step.number("max_messages") ?? 0)
        options.maximumSize = UInt64(step.number("max_size") ?? 0)
        options.expiry = UInt64(step.number("expires_ms") ?? 0) * 1_000_000
        switch step.text("when_full", or: "drop") {
        case "refuse": options.whenFull = .refuse
        case "wait": options.whenFull = .wait
        default: options.whenFull = .dropOldest
        }
        try wormhole(step).declare(
            step.text("id"), name: step.text("durable"), options: options, fromOldest: step.flag("from_oldest"),
            mayChange: step.flag("change"))
        try step.expectStatus(.ok)
    }

    func expectDurables(_ step: ScenarioStep) throws {
        let found = try wormhole(step).durables()
        try step.expectStatus(.ok)
        let expected = step.steps("names")
        try step.expect("how many durable consumers", found.count, expected.count)
        for (durable, expected) in zip(found, expected) {
            try expected.expectText("name", durable.name)
            try expected.expectText("identifier", durable.identifier)
            try expected.expectNumber("waiting", durable.waiting)
            try expected.expectNumber("waiting_size", durable.waitingSize)
            try expected.expectNumber("retrying", durable.retrying)
            try expected.expectNumber("deliveries", durable.deliveries)
            try expected.expectNumber("dead", durable.dead)
            try expected.expectNumber("missed", durable.missed)
            try expected.expectNumber("position", durable.position)
            try expected.expectNumber("held", UInt64(durable.inHand.reduce(0) { $0 + $1.count }))
            try expectTimes(expected, of: durable)
            if expected.has("in_hand") { try expectHolders(expected, durable.inHand) }
        }
    }

    private func expectTimes(_ expected: ScenarioStep, of durable: Wormhole.Durable) throws {
        if let time = try time(expected, "oldest_of") { try expected.expect("oldest", durable.oldest, time) }
        guard expected.has("next_retry") else { return }
        let isToCome = (durable.nextRetry ?? 0) > WallClock.now()
        try expected.expect("next_retry", isToCome, expected.flag("next_retry"))
    }

    private func expectHolders(_ expected: ScenarioStep, _ holders: [Wormhole.Durable.Holder]) throws {
        let list = expected.steps("in_hand")
        try expected.expect("how many holders", holders.count, list.count)
        for (each, holder) in zip(list, holders) {
            try each.expectNumber("count", holder.count)
            try each.expect("here", holder.pid == getpid(), each.flag("here", or: true))
            try each.expect("since", holder.since > 0 && holder.since <= WallClock.now(), true)
        }
    }

    /// When the last message of a listener was sent that a step has expected.
    func time(_ step: ScenarioStep, _ key: String) throws -> Int64? {
        step.has(key) ? try find(ScenarioListener.self, step.text(key)).last?.time : nil
    }

    func seek(_ step: ScenarioStep) throws {
        var start = QueueStart.sequence(UInt64(step.number("sequence") ?? 0))
        if let time = try time(step, "time_of") { start = .time(time) }
        let isThere = try wormhole(step).seek(
            step.text("id"), name: step.text("durable"), to: start)
        try step.expectStatus(isThere ? .ok : .notFound)
    }
}
