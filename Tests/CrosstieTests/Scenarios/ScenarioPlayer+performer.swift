@testable import Crosstie

/// Dispatchers, the performer, and what a bus has counted.
extension ScenarioPlayer {
    func addDispatcher(_ step: ScenarioStep) throws {
        var options = DispatcherOptions()
        if let workers = step.number("max_workers") { options.maximumWorkers = Int(workers) }
        if let queued = step.number("max_queued") { options.maximumQueued = Int(queued) }
        try bus(step).addDispatcher(step.text("name"), options: options)
        try step.expectStatus(.ok)
    }

    func cancelAll(_ step: ScenarioStep) throws {
        try step.expectNumber("count", bus(step).cancelAll(dispatcher: step.text("dispatcher")))
        try step.expectStatus(.ok)
    }

    func allow(_ step: ScenarioStep) throws {
        try bus(step).allow(step.text("target"))
        try step.expectStatus(.ok)
    }

    func releasePerformer(_ step: ScenarioStep) throws {
        try bus(step).releasePerformer(step.text("target"))
        try step.expectStatus(.ok)
    }

    func expectStatistics(_ step: ScenarioStep) throws {
        let rows = try bus(step).stats().map { row -> Value in
            [
                "kind": .string("\(row.kind)"), "name": .string(row.name), "count": .int(row.count),
                "failures": .int(row.failures),
            ]
        }
        try step.expectStatus(.ok)
        try step.expectValue(.list(rows))
    }
}
