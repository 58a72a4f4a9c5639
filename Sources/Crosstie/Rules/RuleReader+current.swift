// The fields of rules in the current form only.

extension RuleReader {
    mutating func takeCurrent(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        switch key {
        case "id": id = try RuleIdentifier.checked(value)
        case "target", "targets": target = try declared(value, key, "target", after: target)
        case "paramsTarget", "paramsTargets":
            paramsTarget = try declared(value, key, "paramsTarget", after: paramsTarget)
        case "params": parameters = try RuleParameter.declared(value)
        default: return false
        }
        return true
    }

    /// A target: under the single key a text, under the plural one a text for each platform.
    private func declared(
        _ value: Value, _ key: String, _ single: String, after earlier: RuleTarget
    ) throws(CrosstieError) -> RuleTarget {
        guard case .none = earlier else {
            throw CrosstieError(.invalidFormat, "a rule has '\(single)' or '\(single)s', not both")
        }
        guard key != single else { return .one(try value.label(atMost: RuleLimits.target)) }
        var targets = RuleTargets()
        try targets.take(all: value)
        return targets.notes.isEmpty ? .none : .byPlatform(targets.notes)
    }
}

/// A target for each platform.
private struct RuleTargets: RuleFields {
    static var what: StaticString { "a map of targets" }

    /// The targets, and the notes between them, in their order.
    var notes = ValueMap()
    private var platforms = 0

    mutating func take(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        guard RulePlatform.isValid(key) else { throw CrosstieError(.invalidFormat, RulePlatform.grammar) }
        platforms += 1
        guard platforms <= RuleLimits.entries else {
            throw CrosstieError(.limitExceeded, "a rule has targets for at most \(RuleLimits.entries) platforms")
        }
        notes[key] = .string(try value.label(atMost: RuleLimits.target))
        return true
    }
}
