@testable import Crosstie

/// Something did not come out as the scenario expects.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One step of a scenario, or one action of a handler.
struct ScenarioStep: Sendable {
    let data: Value

    func has(_ key: String) -> Bool { data[key] != nil }

    /// A text: itself, or the sum of its pieces.
    func text(_ key: String, or otherwise: String = "") -> String {
        data[key].map(ScenarioStep.text) ?? otherwise
    }

    func number(_ key: String) -> Int64? { data[key]?.intValue }

    func flag(_ key: String, or otherwise: Bool = false) -> Bool { data[key]?.boolValue ?? otherwise }

    /// A value with what JSON has no form for written out; null when the key is missing.
    func value(_ key: String) -> Value { data[key].map(ScenarioStep.expand) ?? .null }

    /// A list of texts; empty when the key is missing.
    func texts(_ key: String) -> [String] { (data[key]?.listValue ?? []).map(ScenarioStep.text) }

    func steps(_ key: String) -> [ScenarioStep] { (data[key]?.listValue ?? []).map(ScenarioStep.init) }

    var origin: Origin { text("origin", or: "local") == "remote" ? .remote : .local }

    var reach: Reach {
        if has("peer") { return .elsewhere(text("peer")) }
        switch text("reach") {
        case "here": return .here
        case "elsewhere": return .elsewhere("")
        default: return .any
        }
    }

    func mode(_ key: String) -> MatchMode {
        switch text(key) {
        case "exact": .exact
        case "nearest": .nearest
        default: .default
        }
    }

    private static func text(_ data: Value) -> String {
        switch data {
        case .string(let text): text
        case .list(let pieces): pieces.map(text).joined()
        default: String(repeating: data["repeat"]?.stringValue ?? "", count: Int(data["times"]?.intValue ?? 0))
        }
    }

    private static func expand(_ data: Value) -> Value {
        switch data {
        case .list(let items): .list(items.map(expand))
        case .map(let entries): special(entries) ?? .map(ValueMap(entries.map { ($0.key, expand($0.value)) }))
        default: data
        }
    }

    private static func special(_ entries: ValueMap) -> Value? {
        guard entries.count == 1, let entry = entries.first else { return nil }
        switch entry.key {
        case "$bytes": return .bytes(bytes(ofHex: text(entry.value)))
        case "$double": return Double(text(entry.value)).map(Value.double)
        case "$text": return .string(text(entry.value))
        default: return nil
        }
    }

    static func bytes(ofHex text: String) -> [UInt8] {
        let digits = text.utf8.map { UInt8(truncatingIfNeeded: Int(String(UnicodeScalar($0)), radix: 16) ?? 0) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Comparing what came with what the step expects.
extension ScenarioStep {
    func expect<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
        if found != expected { throw Unexpected("\(what): \(found) instead of \(expected)") }
    }

    func expectStatus(_ status: Status) throws { try expect("status", status.shortName, text("status", or: "OK")) }

    func expectValue(_ found: Value) throws { try expect("value", found, value("value")) }

    /// Compares a text if the step names it.
    func expectText(_ key: String, _ found: String) throws {
        if has(key) { try expect(key, found, text(key)) }
    }

    /// The message contains each of the texts that the step names.
    func expectSaid(_ message: String) throws {
        for said in texts("says") where !message.contains(said) {
            throw Unexpected("\"\(said)\" is not in the message: \(message)")
        }
    }

    /// Compares a number if the step names it.
    func expectNumber(_ key: String, _ found: some BinaryInteger) throws {
        if let expected = number(key) { try expect(key, Int64(found), expected) }
    }

    func expectResponse(_ response: Response) throws {
        try expectStatus(response.status)
        try expectNumber("code", response.code)
        try expectText("message", response.message)
        try expectValue(response.value)
    }
}

extension Status {
    /// `NO_ROUTE` for `CTIE_E_NO_ROUTE`: the form that is alike in every language.
    var shortName: String {
        let name = self.name.dropFirst("CTIE_".count)
        return String(name.hasPrefix("E_") ? name.dropFirst(2) : name)
    }
}
