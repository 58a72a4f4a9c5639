import Synchronization

/// A rule of the table that is loaded, as requests see it. A request that came by it keeps it.
package final class LoadedRule: Sendable {
    // What every open by the rule reads comes first.
    let checklist: RuleChecklist
    /// Of its first pattern.
    package let pattern: PatternInfo
    /// The index of the registration that handles it; 0 for none of its own. Changed with the bus's lock.
    let handler = Atomic<UInt32>(0)
    /// The rule as its handler sees it.
    package let value: ValueRef
    package let rule: Rule

    init(_ rule: Rule, pattern: borrowing Pattern) throws(CrosstieError) {
        value = try rule.value.makeRef()
        self.rule = rule
        checklist = RuleChecklist(rule.parameters)
        self.pattern = pattern.text.withUnsafeBytes { PatternInfo(pattern, text: $0) }
    }

    deinit {
        value.release()
        pattern.release()
        checklist.free()
    }
}
