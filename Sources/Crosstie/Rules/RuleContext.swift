/// The state that the rules of one document share while they are read.
struct RuleContext {
    let isOlder: Bool
    let lists: RuleLists
    let platform: String

    func document(_ head: RuleHead) throws(CrosstieError) -> RuleDocument {
        guard let version = head.version, let values = head.rules else { throw head.missing("version") }
        let shapes = try RuleShapes(countsWebLinks: !lists.webHosts.isEmpty)
        let rules = try read(values, shapes)
        guard lists.patternCount(of: rules) <= RuleLimits.patterns else {
            throw CrosstieError(
                .limitExceeded, "rules, schemes and web hosts make more than \(RuleLimits.patterns) patterns"
            ).inside("rules")
        }
        try RuleDemos(lists: lists, rules: rules).check(with: shapes)
        return RuleDocument(version: version, lists: lists, rules: rules, notes: head.notes)
    }

    private func read(_ values: [Value], _ shapes: borrowing RuleShapes) throws(CrosstieError) -> [Rule] {
        var rules: [Rule] = []
        rules.reserveCapacity(values.count)
        var indices: [String: Int] = [:]
        for (index, value) in values.enumerated() {
            do throws(CrosstieError) {
                let rule = try RuleReader.rule(of: value, in: self)
                if let other = indices.updateValue(index, forKey: rule.id) {
                    throw CrosstieError(
                        .conflict, "rules[\(other)] has the id '\(rule.id)' too"
                    ).inside(isOlder ? "path" : "id")
                }
                try shapes.add(rule, at: index, among: rules)
                rules.append(rule)
            } catch {
                throw error.under(index: index).inside("rules")
            }
        }
        return rules
    }
}
