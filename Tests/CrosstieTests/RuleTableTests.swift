import Testing

@testable import Crosstie

/// The tables of Tests/Scenarios/rule_documents, each row by itself, so that one failure does not hide the next.
///
/// Beyond what a scenario can say: the order of keys, and that what was read, written and read again is the same.
@Suite struct RuleTableTests {
    static let files = ScenarioFile.all.filter { $0.name.hasPrefix("rule_documents/") }

    @Test(arguments: files)
    func rows(_ file: ScenarioFile) throws {
        var document: RuleDocument?
        for step in try file.steps().map(ScenarioStep.init) {
            switch step.text("do") {
            case "rules": document = try readRules(step.value("json"))
            case "rules_convert": convert(step)
            case "table": for row in step.rows { row.has("name") ? generate(row, document) : convert(row) }
            default: continue
            }
        }
    }

    @Test func thereAreManyRows() throws {
        let steps = try Self.files.flatMap { try $0.steps() }
        #expect(steps.reduce(0) { $0 + ($1["rows"]?.listValue?.count ?? 0) } > 800)
    }

    private func convert(_ step: ScenarioStep) {
        expect(step) {
            let document = try readRules(try step.documentText(), options: step.loadOptions)
            let text = try document.value.json()
            #expect(try text == step.value("value").json(), "\(step.brief)")
            #expect(try readRules(text).value.json() == text)
        }
    }

    private func generate(_ step: ScenarioStep, _ document: RuleDocument?) {
        expect(step) {
            let (name, web) = (step.text("name"), step.flag("web"))
            let parameters = step.value("params").mapValue ?? ValueMap()
            let url =
                try step.flag("by_target")
                ? document?.url(target: name, parameters: parameters, web: web)
                : document?.url(id: name, parameters: parameters, web: web)
            #expect(url == step.text("url"))
        }
    }

    private func expect(_ step: ScenarioStep, _ body: () throws -> Void) {
        do {
            try body()
            #expect(!step.has("status"), "it was taken: \(step.brief)")
        } catch {
            expectFailure(error, step)
        }
    }

    private func expectFailure(_ error: any Error, _ expected: ScenarioStep) {
        guard let error = error as? CrosstieError else {
            Issue.record("\(error): \(expected.brief)")
            return
        }
        #expect(error.status.shortName == expected.text("status", or: "OK"), "\(error): \(expected.brief)")
        #expect(error.location == expected.text("location"), "\(error): \(expected.brief)")
        for part in expected.data["says"]?.listValue ?? [] {
            #expect(error.message.contains(part.stringValue ?? ""), "\(error): \(expected.brief)")
        }
    }
}

extension ScenarioStep {
    /// The one step of a table with the cells of each row.
    fileprivate var rows: [ScenarioStep] {
        let columns = (data["columns"]?.listValue ?? []).compactMap(\.stringValue)
        let own = data["steps"]?[0]?.mapValue ?? ValueMap()
        return (data["rows"]?.listValue ?? []).map { row in
            var step = own
            for (column, cell) in zip(columns, row.listValue ?? []) { step[column] = cell }
            return ScenarioStep(data: .map(step))
        }
    }

    fileprivate var brief: String {
        let given = ["text", "change", "change_rule", "name", "params"].compactMap { data[$0] }
        return String("\((try? Value.list(given).json()) ?? "")".prefix(200))
    }

    /// The document with what the step changes of it, or the text as it is.
    fileprivate func documentText() throws -> String {
        guard var document = value("json").mapValue else { return text("text") }
        if var rule = document["rules"]?[0]?.mapValue, let changes = value("change_rule").mapValue {
            rule.change(changes)
            document["rules"] = [.map(rule)]
        }
        document.change(value("change").mapValue ?? ValueMap())
        return try Value.map(document).json()
    }

    fileprivate var loadOptions: RuleLoadOptions {
        func list(_ key: String) -> [String] { data[key]?.listValue?.compactMap(\.stringValue) ?? [] }
        return RuleLoadOptions(
            publicSchemes: list("public_schemes"), privateSchemes: list("private_schemes"),
            routeHosts: list("route_hosts"), webHosts: list("web_hosts"), platform: text("platform"))
    }
}

extension ValueMap {
    /// Takes the old entries away and puts the new ones behind; null is none.
    fileprivate mutating func change(_ changes: ValueMap) {
        for (key, value) in changes {
            self[key] = nil
            if !value.isNull { self[key] = value }
        }
    }
}
