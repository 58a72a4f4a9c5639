/// A document's own keys; its rules are read afterwards, when the lists are known.
struct RuleHead: RuleFields {
    static var what: StaticString { "a rule document" }

    /// Whether it is in the older form, which has neither a format number nor lists.
    let isOlder: Bool
    var notes = ValueMap()
    private(set) var version: RuleVersion?
    private(set) var lists = RuleLists()
    private(set) var rules: [Value]?
    private var seen: Set<String> = []

    init(_ document: Value) throws(CrosstieError) {
        let keys = try document.object()
        isOlder = keys["format"] == nil && RuleListKind.allCases.allSatisfy { keys[$0.rawValue] == nil }
        try take(all: document)
        for key in required where !seen.contains(key) { throw missing(key) }
        try lists.checkTogether()
    }

    private var required: [String] {
        isOlder ? ["version", "rules"] : ["format", "version"] + RuleListKind.allCases.map(\.rawValue) + ["rules"]
    }

    mutating func take(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        seen.insert(key)
        switch key {
        case "format": try Self.check(format: value)
        case "version": version = try Self.version(value)
        case "rules": rules = try Self.rules(value)
        default:
            guard let kind = RuleListKind(rawValue: key) else { return false }
            lists[kind] = try kind.read(value)
        }
        return true
    }

    private static func check(format: Value) throws(CrosstieError) {
        guard format == .int(1) else { throw CrosstieError(.invalidFormat, "the one format known is 1") }
    }

    private static func version(_ value: Value) throws(CrosstieError) -> RuleVersion {
        guard let version = RuleVersion(try value.text()) else {
            throw CrosstieError(.invalidFormat, "a version is MAJOR.MINOR.PATCH, three numbers without leading zeros")
        }
        return version
    }

    private static func rules(_ value: Value) throws(CrosstieError) -> [Value] {
        let rules = try value.list()
        guard rules.count <= RuleLimits.rules else {
            throw CrosstieError(.limitExceeded, "a document has at most \(RuleLimits.rules) rules")
        }
        return rules
    }
}
