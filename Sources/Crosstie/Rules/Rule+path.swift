extension Rule {
    /// The path alone as a pattern: its segments and parameters.
    func parsedPath() throws(CrosstieError) -> Pattern { try Pattern(rulePath: path) }
}

extension Pattern {
    /// A rule's path, under a placeholder scheme and without a host, so that errors count bytes from its first.
    init(rulePath path: String) throws(CrosstieError) {
        self = try withBytes(of: path) { bytes throws(CrosstieError) in
            try Pattern(bytes, orUnder: RuleShapes.scheme)
        }
    }
}
