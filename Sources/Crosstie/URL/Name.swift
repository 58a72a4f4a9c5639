/// The names of routes, rules, components and actions: `[A-Za-z_][A-Za-z0-9_.-]*`, at most 128 bytes.
package enum Name {
    package static var maximumSize: Int { 128 }

    package static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, ASCII.isName(first), !ASCII.isDigit(first) else { return false }
        return name.utf8.count <= maximumSize && name.utf8.allSatisfy { ASCII.isWord($0) || $0 == 0x2E }
    }

    /// For people.
    static var grammar: String { "[A-Za-z_][A-Za-z0-9_.-]*, at most \(maximumSize) bytes" }

    /// - Parameters:
    ///   - kind: the named thing, with its article.
    ///   - location: the location of the name.
    /// - Throws: *invalidIdentifier*.
    package static func check(
        _ name: String, _ kind: StaticString = "a name", at location: String = "name"
    ) throws(CrosstieError) {
        guard isValid(name) else {
            throw CrosstieError(.invalidIdentifier, Quotation.refused(name, kind, grammar), at: location)
        }
    }
}
