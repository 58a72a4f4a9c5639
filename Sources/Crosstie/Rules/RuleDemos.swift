/// Checks that each demo opens its own rule.
struct RuleDemos: ~Copyable {
    private let lists: RuleLists
    private let rules: [Rule]
    private let url = RuleURL()

    init(lists: RuleLists, rules: [Rule]) { (self.lists, self.rules) = (lists, rules) }

    /// - Throws: the error of opening the demo: *invalidURL*, *unroutablePath*, *invalidUTF8*, *limitExceeded*,
    ///   *noRoute*, *invalidParameter*.
    func check(with shapes: borrowing RuleShapes) throws(CrosstieError) {
        for (index, rule) in rules.enumerated() {
            guard let demo = rule.demo else { continue }
            do throws(CrosstieError) {
                try check(demo, of: rule, at: index, shapes)
            } catch {
                // The location of a parameter's error is its name, which the message has too.
                let byte = error.location.hasPrefix("byte ") ? ", at \(error.location)" : ""
                throw CrosstieError(error.status, error.message + byte).inside("demo").under(index: index)
                    .inside("rules")
            }
        }
    }

    private func check(
        _ demo: String, of rule: Rule, at index: Int, _ shapes: borrowing RuleShapes
    ) throws(CrosstieError) {
        try withBytes(of: demo) { bytes throws(CrosstieError) in try url.parse(bytes) }
        guard let route = url.standIn(for: lists) else {
            throw CrosstieError(.noRoute, "no list has the URL's scheme, or its web host")
        }
        try route.withBytes { bytes throws(CrosstieError) in try url.parse(bytes) }
        guard let reached = try url.match(shapes.table) else {
            throw CrosstieError(.noRoute, "the URL reaches no rule")
        }
        guard reached == index else {
            let other = rules.indices.contains(reached) ? rules[reached].id : ""
            throw CrosstieError(.noRoute, "the URL reaches the rule '\(other)' (rules[\(reached)])")
        }
        let captured = try rule.parsedPath().parameterNames
        _ = try rule.convert { name throws(CrosstieError) in try url.text(of: name, captured: captured) }
    }
}
