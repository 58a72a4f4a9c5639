/// A rule document, read and found good: its URLs, the origins that may open them, and their targets.
package struct RuleDocument: Sendable {
    package let version: RuleVersion
    package let lists: RuleLists
    package let rules: [Rule]
    /// Notes: `comment` and what begins with `x-`.
    let notes: ValueMap
    private let indexes: RuleIndexes

    init(version: RuleVersion, lists: RuleLists, rules: [Rule], notes: ValueMap) {
        (self.version, self.lists, self.rules, self.notes) = (version, lists, rules, notes)
        indexes = RuleIndexes(rules)
    }

    package var publicSchemes: [String] { lists.publicSchemes }
    package var privateSchemes: [String] { lists.privateSchemes }
    package var routeHosts: [String] { lists.routeHosts }
    package var webHosts: [String] { lists.webHosts }

    /// The rule of an id: one step, however many there are.
    package func index(ofId id: String) -> Int? { indexes.ids[Array(id.utf8)] }

    /// The rule of a target on this platform, the first one where several share it.
    package func index(ofTarget target: String) -> Int? { indexes.targets[Array(target.utf8)] }

    /// The rules of a host, in their order.
    package func indices(ofHost host: String) -> [Int] { indexes.hosts[Array(host.utf8)] ?? [] }
}

/// The indices of rules by their keys. Texts are the same when their bytes are.
private struct RuleIndexes: Sendable {
    private(set) var ids: [[UInt8]: Int] = [:]
    private(set) var targets: [[UInt8]: Int] = [:]
    private(set) var hosts: [[UInt8]: [Int]] = [:]

    init(_ rules: [Rule]) {
        ids.reserveCapacity(rules.count)
        for (index, rule) in rules.enumerated() {
            ids[Array(rule.id.utf8)] = index
            hosts[Array(rule.host.utf8), default: []].append(index)
            guard let target = rule.target.map({ Array($0.utf8) }), targets[target] == nil else { continue }
            targets[target] = index
        }
    }
}
