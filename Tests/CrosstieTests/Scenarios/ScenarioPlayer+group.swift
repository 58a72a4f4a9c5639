internal import Glibc

@testable import Crosstie
@testable import CrosstieWormhole

/// Verbs for a group as a whole.
extension ScenarioPlayer {
    func sendMany(_ step: ScenarioStep) throws {
        let messages = step.steps("messages").map { message in
            message.flag("signal")
                ? Wormhole.Outgoing.signal(message.text("id")) : .value(message.text("id"), message.value("value"))
        }
        let first = try wormhole(step).send(many: messages)
        try step.expectStatus(.ok)
        try step.expectNumber("sequence", first)
    }

    func listIdentifiers(_ step: ScenarioStep) throws {
        let found = try wormhole(step).identifiers(step.text("id", or: "*"))
        try step.expectStatus(.ok)
        try step.expectValue(.list(found.map(Value.string)))
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
}
