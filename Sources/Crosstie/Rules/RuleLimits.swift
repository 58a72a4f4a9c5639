/// The bounds that every rule document keeps.
package enum RuleLimits {
    /// Bytes of a document's text.
    package static var text: Int { 1 << 20 }
    /// Lists and maps inside each other, the document included.
    package static var depth: Int { 16 }
    package static var rules: Int { 10_000 }
    /// Entries of a list of schemes or hosts, and platforms of one rule.
    package static var entries: Int { 64 }
    /// Patterns that a document's rules make together.
    package static var patterns: Int { 1_000_000 }
    /// Parameters that one rule declares: a URL's query has no more pairs.
    package static var parameters: Int { URLLimits.pairs }
    /// Bytes of an id, a parameter's name, an open type or a platform.
    package static var name: Int { 128 }
    /// Bytes of a target.
    package static var target: Int { 1_024 }
    /// Bytes of a path, so that the longest scheme and host have room before it.
    package static var path: Int { URLLimits.url - URLLimits.scheme - 3 - URLLimits.host }
}
