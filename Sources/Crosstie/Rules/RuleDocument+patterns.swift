extension RuleDocument {
    /// The patterns of all rules, made while they are walked through: for each rule one under every scheme, public
    /// ones first, and, if it has a host, two under every web host. At most ``RuleLimits/patterns``; no two of one shape.
    package var patterns: some Sequence<RulePattern> {
        rules.indices.lazy.flatMap { index in
            patterns(ofRule: index).map { RulePattern(rule: index, pattern: $0) }
        }
    }

    /// The number of patterns.
    package var patternCount: Int { lists.patternCount(of: rules) }

    /// The patterns of one rule.
    package func patterns(ofRule index: Int) -> [String] {
        guard rules.indices.contains(index) else { return [] }
        let rule = rules[index]
        let own = (publicSchemes + privateSchemes).map { rule.pattern(scheme: $0) }
        guard rule.hasWebLinks else { return own }
        return webHosts.reduce(into: own) { patterns, host in
            patterns += ["http", "https"].map { rule.webPattern(scheme: $0, webHost: host) }
        }
    }
}

extension RuleLists {
    func patternCount(of rules: [Rule]) -> Int {
        let linked = rules.reduce(0) { $0 + ($1.hasWebLinks ? 1 : 0) }
        return rules.count * (publicSchemes.count + privateSchemes.count) + linked * webHosts.count * 2
    }
}
