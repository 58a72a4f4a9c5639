/// The names of platforms: `[a-z][a-z0-9_-]*`, at most 128 bytes, and no key that is free for notes.
enum RulePlatform {
    /// The platform of this library.
    static var current: String { "linux" }

    static var grammar: String { "a platform is named [a-z][a-z0-9_-]*, at most \(RuleLimits.name) bytes" }

    static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, ASCII.isLetter(first), name.utf8.count <= RuleLimits.name else {
            return false
        }
        return !isNote(name) && name.utf8.allSatisfy { ASCII.isWord($0) && ASCII.lower($0) == $0 }
    }
}

extension RuleLoadOptions {
    /// The platform whose targets are taken.
    ///
    /// - Throws: *invalidArgument*.
    func checkedPlatform() throws(CrosstieError) -> String {
        guard !platform.isEmpty else { return RulePlatform.current }
        guard RulePlatform.isValid(platform) else {
            throw CrosstieError(.invalidArgument, RulePlatform.grammar, at: "options.platform")
        }
        return platform
    }
}
