/// One pattern of a rule in a route table.
package struct RulePattern: Sendable, Hashable {
    /// The rule's index.
    package let rule: Int
    /// A whole pattern: `daqun://route/home/category_search`.
    package let pattern: String
}
