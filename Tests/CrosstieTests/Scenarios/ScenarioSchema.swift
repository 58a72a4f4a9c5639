@testable import Crosstie

/// The keys that a step may have, by `steps.schema`: a key that no player reads is a mistake of the scenario.
struct ScenarioSchema: Sendable {
    static let shared = try? ScenarioSchema(document: ScenarioFile.read("steps.schema"))

    /// Keys that hold an action or a list of them, in a step and in a part of one.
    private static let actions = [
        "handler", "interceptors", "then", "share", "oauth", "launch", "open_url", "open_activity",
    ]

    let document: Value

    func check(_ step: ScenarioStep) throws {
        let verb = step.text("do")
        try check(verb, step.data, try known("steps", verb))
        try checkNested(verb, step.data)
        for inner in step.steps("steps") { try check(inner) }
        if verb == "table" { try checkColumns(of: step) }
    }

    /// Each column is a key of one of the table's steps at least.
    private func checkColumns(of table: ScenarioStep) throws {
        let keys = try table.steps("steps").reduce(into: Set<String>()) { keys, step throws in
            keys.formUnion(try known("steps", step.text("do")))
        }
        for column in table.texts("columns") where !keys.contains(column) {
            throw Unexpected("no step of the table has the key \(column)")
        }
    }

    /// The keys of a step, an action or a part. A name with `@` stands for a group.
    private func known(_ kind: String, _ name: String) throws -> Set<String> {
        guard let keys = document[kind]?[name]?.listValue else {
            throw Unexpected("no such thing among \(kind): \(name)")
        }
        return try keys.compactMap(\.stringValue).reduce(into: ["do"]) { known, key throws in
            if key.hasPrefix("@") {
                known.formUnion(try self.known("groups", String(key.dropFirst())))
            } else {
                known.insert(key)
            }
        }
    }

    private func check(_ name: String, _ map: Value, _ known: Set<String>) throws {
        for (key, _) in map.mapValue ?? ValueMap() where !known.contains(key) {
            throw Unexpected("\(name) has no key \(key)")
        }
    }

    /// The actions and parts that a step, an action or a part has.
    private func checkNested(_ name: String, _ map: Value) throws {
        for (key, inner) in map.mapValue ?? ValueMap() {
            let part = "\(name).\(key)"
            if Self.actions.contains(key) {
                try checkActions(inner)
            } else if document["parts"]?[part] != nil {
                for each in inner.listValue ?? [inner] {
                    try check(part, each, try known("parts", part))
                    try checkNested(part, each)
                }
            }
        }
    }

    private func checkActions(_ data: Value) throws {
        for each in data.listValue ?? [] { try checkActions(each) }
        guard data.mapValue != nil else { return }
        let verb = ScenarioStep(data: data).text("do")
        try check(verb, data, try known("actions", verb).union(try known("groups", "action")))
        try checkNested(verb, data)
    }
}
