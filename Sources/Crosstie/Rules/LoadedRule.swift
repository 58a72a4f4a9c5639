import Synchronization

/// A rule of the table that is loaded, as requests see it. A request that came by it keeps it.
package final class LoadedRule: Sendable {
    // The fields that every open by the rule reads come first.
    let checklist: RuleChecklist
    /// Of its first pattern.
    package let pattern: PatternInfo
    /// The index of the registration that handles it; 0 for none of its own. Changed with the bus's lock.
    let handler = Atomic<UInt32>(0)
    /// The rule as its handler sees it.
    package let value: ValueRef
    package let rule: Rule
    /// The text of its target; null for none.
    private let targetText: ValueRef

    init(_ rule: Rule, pattern: borrowing Pattern) throws(CrosstieError) {
        let targetText = try (rule.target.map(Value.string) ?? .null).makeRef()
        do throws(CrosstieError) {
            value = try rule.value.makeRef()
        } catch {
            targetText.release()
            throw error
        }
        self.targetText = targetText
        self.rule = rule
        checklist = RuleChecklist(rule.parameters)
        self.pattern = pattern.text.withUnsafeBytes { PatternInfo(pattern, text: $0) }
    }

    /// The rule's target on this platform, if any; it lives as long as the rule.
    var target: UnsafeRawBufferPointer? { targetText.stringBytes }

    /// The action of a request for a rule's target. No document can choose it: it would choose among all methods of
    /// what the host has allowed.
    static var selector: UnsafeRawBufferPointer {
        let text: StaticString = "open"
        return UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    deinit {
        value.release()
        targetText.release()
        pattern.release()
        checklist.free()
    }
}
