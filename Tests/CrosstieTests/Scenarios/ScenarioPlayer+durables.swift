import Crosstie
import CrosstieWormhole

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
        }
    }

    func seek(_ step: ScenarioStep) throws {
        let isThere = try wormhole(step).seek(
            step.text("id"), name: step.text("durable"), to: .sequence(UInt64(step.number("sequence") ?? 0)))
        try step.expectStatus(isThere ? .ok : .notFound)
    }
}
