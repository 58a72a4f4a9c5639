/// The shapes of a document's rules: which two want the same URLs, and which rule a URL reaches.
///
/// A table of its own stands for the bus's. The rules have the same patterns under every scheme of the document, so one
/// placeholder scheme is enough; web links, which ignore the host, have another.
struct RuleShapes: ~Copyable {
    /// Short, so that no URL grows when it takes the place of its own scheme.
    static var scheme: String { "r" }
    static var webScheme: String { "w" }

    let table: RouteTable
    private let countsWebLinks: Bool

    init(countsWebLinks: Bool) throws(CrosstieError) {
        guard let table = RouteTable.create() else { throw .outOfMemory }
        (self.table, self.countsWebLinks) = (table, countsWebLinks)
    }

    deinit { table.destroy() }

    /// Adds a rule, the next one after `others`.
    ///
    /// - Throws: *conflict* for a rule of the shape of another, naming both; *outOfMemory*.
    func add(_ rule: Rule, at index: Int, among others: [Rule]) throws(CrosstieError) {
        try add(rule.pattern(scheme: Self.scheme), of: rule, at: index, among: others, "")
        guard countsWebLinks, rule.hasWebLinks else { return }
        let pattern = rule.webPattern(scheme: Self.webScheme, webHost: "")
        try add(pattern, of: rule, at: index, among: others, ", once web links set the host aside")
    }

    private func add(
        _ text: String, of rule: Rule, at index: Int, among others: [Rule], _ circumstance: String
    ) throws(CrosstieError) {
        let pattern = try withBytes(of: text) { bytes throws(CrosstieError) in try Pattern(bytes) }
        let value = UInt32(truncatingIfNeeded: index + 1)
        guard case .conflict(let taken) = try table.insert(pattern, value: value, grace: {}) else { return }
        let other = Int(taken) - 1
        let name = others.indices.contains(other) ? others[other].id : ""
        throw CrosstieError(
            .conflict, "the rule '\(rule.id)' has the shape of '\(name)' (rules[\(other)])\(circumstance)"
        ).inside("path")
    }
}
