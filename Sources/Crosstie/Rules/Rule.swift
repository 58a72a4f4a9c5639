/// A rule: the form of its URLs, the origins that may open them, and their target.
package struct Rule: Sendable {
    /// `[A-Za-z_][A-Za-z0-9_.-]*`, at most 128 bytes, unique in its document.
    package let id: String
    /// One of the document's route hosts, or empty.
    package let host: String
    /// A pattern without scheme and host: `/home/:section`.
    package let path: String
    /// Whether remote origins may open it.
    package let isPublic: Bool
    /// The receiver of the request, on the platform that the document was read for.
    package let target: String?
    /// The receivers of the parameters, on that platform.
    package let paramsTarget: String?
    /// The way in which a screen is shown; the library gives it no meaning.
    package let openType: String?
    /// Whether showing the screen is animated.
    package let isAnimated: Bool?
    /// A URL that opens the rule.
    package let demo: String?
    package let remark: String?
    /// In the order of declaration.
    package let parameters: [RuleParameter]
    /// The targets as the document declares them, for every platform.
    let declaredTarget: RuleTarget
    let declaredParamsTarget: RuleTarget
    /// Notes: `comment` and what begins with `x-`.
    let notes: ValueMap

    /// The pattern of its URLs under a scheme: `daqun://route/home/category_search`.
    package func pattern(scheme: String) -> String { "\(scheme)://\(host)\(path)" }

    /// The pattern of its web links on a web host; the rule's own host is set aside.
    package func webPattern(scheme: String, webHost: String) -> String { "\(scheme)://\(webHost)\(path)" }

    /// Whether web links can reach it.
    package var hasWebLinks: Bool { !host.isEmpty }
}

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
