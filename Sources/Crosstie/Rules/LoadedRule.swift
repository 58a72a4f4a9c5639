import Synchronization

/// A rule of the table that is loaded, as requests see it. A request that came by it keeps it.
package final class LoadedRule: Sendable {
    package let rule: Rule
    /// The rule as its handler sees it.
    package let value: ValueRef
    /// Of its first pattern.
    package let pattern: PatternInfo
    /// The names of the declared parameters, in their order.
    let names: [[UInt8]]
    /// The index of the registration that handles it; 0 for none of its own. Changed with the bus's lock.
    let handler = Atomic<UInt32>(0)

    init(_ rule: Rule, pattern: borrowing Pattern) throws(CrosstieError) {
        self.rule = rule
        names = rule.parameters.map { Array($0.name.utf8) }
        value = try rule.value.makeRef()
        self.pattern = pattern.text.withUnsafeBytes { PatternInfo(pattern, text: $0) }
    }

    deinit {
        value.release()
        pattern.release()
    }
}
