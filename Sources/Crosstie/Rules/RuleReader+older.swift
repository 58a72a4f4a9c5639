// The fields of rules in the older form only.

extension RuleReader {
    mutating func takeOlder(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        guard key != "params" else {
            parameters = try RuleParameter.sampled(value)
            return true
        }
        return try classNames.take(value, for: key)
    }
}

/// The class names of a rule in the older form: `iOSVCClassName`, `iOSParamsClassName`, and the same two with another
/// platform's prefix.
struct RuleClassNames {
    private var targets = ValueMap()
    private var paramsTargets = ValueMap()

    /// Takes a class name; an empty one is none. False when the key is not one of a class name.
    mutating func take(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        if let platform = Self.platform(of: key, before: "ParamsClassName") {
            try Self.add(value, for: platform, to: &paramsTargets)
        } else if let platform = Self.platform(of: key, before: "VCClassName") {
            try Self.add(value, for: platform, to: &targets)
        } else {
            return false
        }
        return true
    }

    /// The prefix in lower case; nil when the key ends in something else or the prefix is no name of a platform.
    private static func platform(of key: String, before suffix: String) -> String? {
        guard key.hasSuffix(suffix) else { return nil }
        let platform = String(decoding: key.utf8.dropLast(suffix.utf8.count).map(ASCII.lower), as: UTF8.self)
        return RulePlatform.isValid(platform) ? platform : nil
    }

    private static func add(_ value: Value, for platform: String, to names: inout ValueMap) throws(CrosstieError) {
        guard value != .string("") else { return }
        guard names[platform] == nil else {
            throw CrosstieError(.duplicateKey, "the rule has a class name for the platform '\(platform)' twice")
        }
        names[platform] = .string(try value.label(atMost: RuleLimits.target))
        guard names.count <= RuleLimits.entries else {
            throw CrosstieError(.limitExceeded, "a rule has targets for at most \(RuleLimits.entries) platforms")
        }
    }

    /// The same as the current form has it: plain targets when the rule knows one platform only.
    func declared() -> (target: RuleTarget, paramsTarget: RuleTarget) {
        let isPlain = Set(targets.keys + paramsTargets.keys).count == 1
        return (Self.target(targets, isPlain), Self.target(paramsTargets, isPlain))
    }

    private static func target(_ names: ValueMap, _ isPlain: Bool) -> RuleTarget {
        guard let first = names.first else { return .none }
        guard isPlain, let name = first.value.stringValue else { return .byPlatform(names) }
        return .one(name)
    }
}
