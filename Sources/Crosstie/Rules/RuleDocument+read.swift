extension RuleDocument {
    /// Reads a document in either form.
    ///
    /// The first thing that is wrong is thrown: of the text; then of the document's own keys, in their order; then of
    /// the rules, in theirs; last of the demos.
    ///
    /// - Parameters:
    ///   - json: the text, from anybody. Not kept.
    ///   - options: lists for a document in the older form, and the platform.
    /// - Throws: *format*, *duplicate*, *utf8*, *limit*, *conflict*, *pattern*, *param*; of a demo what opening it
    ///   would come to; *invalid* for the options; *noMemory*. The place is `rules[3].path`, or line and column.
    package static func read(
        _ json: UnsafeRawBufferPointer, options: RuleLoadOptions = RuleLoadOptions()
    ) throws(CrosstieError) -> RuleDocument {
        let platform = try options.checkedPlatform()
        try RuleText.check(json)
        let document = try value(of: json)
        do throws(CrosstieError) {
            let head = try RuleHead(document)
            if head.isOlder { try options.lists.checkAsOptions() }
            let context = RuleContext(
                isOlder: head.isOlder, lists: head.isOlder ? options.lists : head.lists, platform: platform)
            return try context.document(head)
        } catch {
            throw error.inDocument()
        }
    }

    private static func value(of json: UnsafeRawBufferPointer) throws(CrosstieError) -> Value {
        let ref = try JSON.decode(json)
        defer { ref.release() }
        return Value(borrowing: ref)
    }
}

/// What the rules of one document have in common while they are read.
struct RuleContext {
    let isOlder: Bool
    let lists: RuleLists
    let platform: String

    func document(_ head: RuleHead) throws(CrosstieError) -> RuleDocument {
        guard let version = head.version, let values = head.rules else { throw head.missing("version") }
        let shapes = try RuleShapes(countsWebLinks: !lists.webHosts.isEmpty)
        let rules = try read(values, shapes)
        guard lists.rowCount(of: rules) <= RuleLimits.rows else {
            throw CrosstieError(
                .limit, "rules, schemes and web hosts make more than \(RuleLimits.rows) patterns"
            ).inside("rules")
        }
        try RuleDemos(lists: lists, rules: rules).check(with: shapes)
        return RuleDocument(version: version, lists: lists, rules: rules, notes: head.notes)
    }

    private func read(_ values: [Value], _ shapes: borrowing RuleShapes) throws(CrosstieError) -> [Rule] {
        var rules: [Rule] = []
        rules.reserveCapacity(values.count)
        var places: [String: Int] = [:]
        for (index, value) in values.enumerated() {
            do throws(CrosstieError) {
                let rule = try RuleReader.rule(of: value, in: self)
                if let other = places.updateValue(index, forKey: rule.id) {
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
