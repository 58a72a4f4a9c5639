@testable import Crosstie

/// Rule tables.
extension ScenarioPlayer {
    func loadRules(_ step: ScenarioStep, on bus: Bus) throws {
        try bus.loadRules(step.documentText(), step.ruleOptions, rollback: step.flag("rollback"))
        try step.expectStatus(.ok)
    }

    func unloadRules(_ step: ScenarioStep) throws {
        try bus(step).unloadRules()
        try step.expectStatus(.ok)
    }

    func expectDocument(_ step: ScenarioStep) throws {
        guard let document = try bus(step).rules() else { return try step.expectStatus(.notFound) }
        try step.expectStatus(.ok)
        try step.expectValue(document)
    }

    func convertRules(_ step: ScenarioStep) throws {
        let document = try Value(json: Bus.convertRules(step.documentText(), step.ruleOptions))
        try step.expectStatus(.ok)
        if step.has("value") { try step.expectValue(document) }
        if step.has("first_rule") {
            try step.expect("first rule", document["rules"]?[0] ?? .null, step.value("first_rule"))
        }
    }

    func handleRule(_ step: ScenarioStep) throws {
        let handler = ScenarioHandler(self, step, otherwise: step.text("id"))
        let registered = try bus(step).handleRule(
            step.text("id"), isWorkerOnly: step.flag("worker_only"), interceptors: interceptors(step),
            handler: handler.handle)
        try step.expectStatus(.ok)
        add(registered, as: step.text("as"))
    }

    func generateRule(_ step: ScenarioStep) throws {
        let params = step.value("params")
        guard params.isNull || params.mapValue != nil else { return try step.expectStatus(.wrongType) }
        let url = try bus(step).generate(
            rule: step.text("name"), params.mapValue ?? ValueMap(), isPublic: !step.flag("private"),
            web: step.flag("web"), byTarget: step.flag("by_target"))
        try step.expectText("url", url)
        try step.expectStatus(.ok)
    }
}

extension ScenarioStep {
    /// The document of a step, with what the step changes of it, as JSON; or its text as it is.
    fileprivate func documentText() throws -> String {
        guard has("json") else { return text("text") }
        var document = value("json").mapValue ?? ValueMap()
        if has("change_rule"), var rules = document["rules"]?.listValue, let last = rules.popLast()?.mapValue {
            document["rules"] = .list(rules + [.map(changed(last, by: "change_rule"))])
        }
        return try Value.map(changed(document, by: "change")).json()
    }

    /// Other entries in the place of a map's own; null takes one away.
    private func changed(_ entries: ValueMap, by key: String) -> ValueMap {
        var entries = entries
        for (name, item) in value(key).mapValue ?? ValueMap() { entries[name] = item.isNull ? Value?.none : item }
        return entries
    }

    fileprivate var ruleOptions: RuleOptions {
        RuleOptions(
            platform: text("platform"), publicSchemes: texts("public_schemes"),
            privateSchemes: texts("private_schemes"), routeHosts: texts("route_hosts"), webHosts: texts("web_hosts"))
    }
}
