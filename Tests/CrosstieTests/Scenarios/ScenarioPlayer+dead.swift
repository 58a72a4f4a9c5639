@testable import Crosstie

/// Dead letters of durable consumers.
extension ScenarioPlayer {
    /// True if the step is one of these.
    func resolveDead(_ step: ScenarioStep) throws -> Bool {
        switch step.text("do") {
        case "dead_letters": try expectDeadLetters(step)
        case "dead_letter": try expectDeadLetter(step)
        case "retry":
            let sequence = step.number("sequence").map { UInt64($0) }
            let count = try wormhole(step).retry(step.text("id"), name: step.text("durable"), sequence: sequence)
            try step.expectStatus(.ok)
            try step.expectNumber("count", count)
        case "drop":
            let sequence = step.number("sequence").map { UInt64($0) }
            let count = try wormhole(step).drop(step.text("id"), name: step.text("durable"), sequence: sequence)
            try step.expectStatus(.ok)
            try step.expectNumber("count", count)
        default: return false
        }
        return true
    }

    private func expectDeadLetters(_ step: ScenarioStep) throws {
        let found = try wormhole(step).deadLetters(
            step.text("id"), name: step.text("durable"), after: UInt64(step.number("after") ?? 0),
            limit: Int(step.number("limit") ?? 1000))
        try step.expectStatus(.ok)
        let expected = step.steps("letters")
        guard found.count == expected.count else { throw Unexpected("\(found.count) dead letters") }
        for (letter, expected) in zip(found, expected) {
            try expected.expectNumber("sequence", letter.sequence)
            try expected.expectNumber("deliveries", letter.deliveries)
            try expected.expectNumber("sent_as", letter.sentAs ?? 0)
            try expected.expectNumber("size", letter.size)
            try expected.expectText("id", letter.identifier)
            try expected.expectText("kind", "\(letter.kind)")
            try expected.expectText("reason", letter.reason)
        }
    }

    private func expectDeadLetter(_ step: ScenarioStep) throws {
        let sequence = UInt64(step.number("sequence") ?? 0)
        let found = try wormhole(step).deadLetter(step.text("id"), name: step.text("durable"), sequence: sequence)
        guard let found else { return try step.expectStatus(.notFound) }
        try step.expectStatus(.ok)
        try step.expectMessage(found)
        try step.expectText("reason", found.reason)
    }
}
