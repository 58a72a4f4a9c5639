import Testing

@testable import Crosstie

/// The tables of Tests/Scenarios/rules, each case by itself.
@Suite struct RuleTableTests {
    static let files = ScenarioFile.all.filter { $0.name.hasPrefix("rules/") }

    @Test(arguments: files)
    func cases(_ file: ScenarioFile) throws {
        for data in try file.steps() {
            let step = ScenarioStep(data: data)
            switch step.text("do") {
            case "rules_read": for `case` in step.steps("cases") { read(step, `case`) }
            case "rules_generate": try generate(step)
            default: continue
            }
        }
    }

    @Test func thereAreManyCases() throws {
        let steps = try Self.files.flatMap { try $0.steps() }
        #expect(steps.reduce(0) { $0 + ($1["cases"]?.listValue?.count ?? 0) } > 800)
    }

    private func read(_ step: ScenarioStep, _ expected: ScenarioStep) {
        let around = (step.data["around"]?.listValue ?? ["", ""]).map { $0.stringValue ?? "" }
        do {
            let text = try expected.has("json") ? expected.value("json").json() : expected.text("text")
            let document = try readRules(around[0] + text + around[1], options: step.loadOptions)
            try expected.expectStatus(.ok)
            if expected.has("value") { try expected.expectSame(document.value, expected.value("value")) }
            if expected.has("rule") {
                try expected.expectSame(document.value["rules"]?[0] ?? .null, expected.value("rule"))
            }
            try expectRoundTrip(document)
        } catch {
            expectFailure(error, expected)
        }
    }

    /// What was read, written and read again is the same to the last byte.
    private func expectRoundTrip(_ document: RuleDocument) throws {
        let text = try document.value.json()
        let again = try readRules(text)
        #expect(try again.value.json() == text)
    }

    private func generate(_ step: ScenarioStep) throws {
        let document = try readRules(step.value("json"))
        for expected in step.steps("cases") {
            do {
                let url = try expected.url(from: document)
                try expected.expectStatus(.ok)
                #expect(url == expected.text("url"))
            } catch {
                expectFailure(error, expected)
            }
        }
    }

    private func expectFailure(_ error: any Error, _ expected: ScenarioStep) {
        guard let error = error as? CrosstieError else {
            Issue.record("\(error): \(expected.brief)")
            return
        }
        #expect(error.status.shortName == expected.text("status", or: "OK"), "\(error): \(expected.brief)")
        #expect(error.place == expected.text("where"), "\(error): \(expected.brief)")
        #expect(error.message.contains(expected.text("says", or: error.message)), "\(error): \(expected.brief)")
    }
}

extension ScenarioStep {
    fileprivate var brief: String { String("\((try? data.json()) ?? "")".prefix(200)) }

    fileprivate var loadOptions: RuleLoadOptions {
        let options = data["options"] ?? .null
        func list(_ key: String) -> [String] { options[key]?.listValue?.compactMap(\.stringValue) ?? [] }
        return RuleLoadOptions(
            publicSchemes: list("publicSchemes"), privateSchemes: list("privateSchemes"),
            routeHosts: list("routeHosts"), webHosts: list("webHosts"),
            platform: options["platform"]?.stringValue ?? "")
    }

    /// Compares two values with the order of their keys.
    fileprivate func expectSame(_ found: Value, _ expected: Value) throws {
        try expect("value", try found.json(), try expected.json())
    }

    fileprivate func url(from document: RuleDocument) throws -> String {
        let parameters = value("params").mapValue ?? ValueMap()
        let (isPublic, web) = (flag("public", or: true), flag("web"))
        guard has("target") else {
            return try document.url(id: text("id"), parameters: parameters, isPublic: isPublic, web: web)
        }
        return try document.url(target: text("target"), parameters: parameters, isPublic: isPublic, web: web)
    }
}
