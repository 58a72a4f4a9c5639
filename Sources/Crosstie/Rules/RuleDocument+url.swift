// Making URLs that open a rule.

extension RuleDocument {
    /// Makes a URL that opens the rule of an id.
    ///
    /// The path's parameters go into the path; all others into the query, declared ones first. Opening the URL gives
    /// the same parameters: UUIDs in lower case, integers of a `float` as doubles, undeclared ones as text.
    ///
    /// - Parameters:
    ///   - parameters: declared ones in their type; others may be texts, numbers or booleans.
    ///   - isPublic: under the first public scheme, or the first private one where there is none; else under the
    ///     first private scheme alone.
    ///   - web: a web link on the first web host instead.
    /// - Throws: *notFound* (no such rule, scheme or web host, or a rule without a host on the web); *limitExceeded* (the
    ///   URL would be too long); *invalidArgument* (a web link that is not public). An *invalidParameter* is missing, of
    ///   another type, or not allowed at its position; the error's location is its name.
    package func url(
        id: String, parameters: ValueMap = ValueMap(), isPublic: Bool = true, web: Bool = false
    ) throws(CrosstieError) -> String {
        guard let index = index(ofId: id) else {
            throw CrosstieError(.notFound, "there is no rule of the id \(Quotation.quoted(id))", at: id)
        }
        return try url(rules[index], parameters, isPublic, web)
    }

    /// Makes a URL that opens the first rule of a target on this platform, as ``url(id:parameters:isPublic:web:)``
    /// does.
    package func url(
        target: String, parameters: ValueMap = ValueMap(), isPublic: Bool = true, web: Bool = false
    ) throws(CrosstieError) -> String {
        guard let index = index(ofTarget: target) else {
            throw CrosstieError(.notFound, "there is no rule of the target \(Quotation.quoted(target))", at: target)
        }
        return try url(rules[index], parameters, isPublic, web)
    }

    private func url(
        _ rule: Rule, _ parameters: ValueMap, _ isPublic: Bool, _ web: Bool
    ) throws(CrosstieError) -> String {
        guard isPublic || !web else { throw CrosstieError(.invalidArgument, "no web link is private") }
        let text = try web ? webPattern(of: rule) : pattern(of: rule, isPublic)
        let pattern = try withBytes(of: text) { bytes throws(CrosstieError) in try Pattern(bytes) }
        let texts = try rule.texts(of: parameters)
        let captured = Set(pattern.parameterNames)
        return try pattern.generate(
            named: texts.filter { captured.contains($0.name) }, query: texts.filter { !captured.contains($0.name) })
    }

    private func pattern(of rule: Rule, _ isPublic: Bool) throws(CrosstieError) -> String {
        let scheme = isPublic ? publicSchemes.first ?? privateSchemes.first : privateSchemes.first
        guard let scheme else {
            throw CrosstieError(
                .notFound, isPublic ? "the document has no scheme" : "the document has no private scheme")
        }
        return rule.pattern(scheme: scheme)
    }

    private func webPattern(of rule: Rule) throws(CrosstieError) -> String {
        guard let host = webHosts.first else { throw CrosstieError(.notFound, "the document has no web host") }
        guard rule.hasWebLinks else {
            throw CrosstieError(.notFound, "the rule '\(rule.id)' has no host, so no web link reaches it")
        }
        return rule.webPattern(scheme: "https", webHost: host)
    }
}

extension Rule {
    /// The parameters as a URL has them: those declared in their order, then the others in the order given.
    fileprivate func texts(of values: ValueMap) throws(CrosstieError) -> [NamedText] {
        var texts: [NamedText] = []
        for parameter in parameters {
            if let value = values[parameter.name] {
                texts.append((parameter.name, try parameter.text(of: value)))
            } else if parameter.isRequired {
                throw parameter.refused("is missing")
            }
        }
        let declared = ValueMap(parameters.map { ($0.name, .null) })
        for (name, value) in values where declared[name] == nil {
            texts.append((name, try Self.text(of: value, named: name)))
        }
        return texts
    }

    /// An undeclared parameter is text when the URL is opened.
    private static func text(of value: Value, named name: String) throws(CrosstieError) -> String {
        let types: [ParameterType] = [.any, .bool, .int, .float]
        guard let text = types.lazy.compactMap({ $0.text(of: value) }).first else {
            throw CrosstieError(
                .invalidParameter, "the parameter \(Quotation.quoted(name)) is of a kind that no URL can hold", at: name
            )
        }
        guard !text.utf8.contains(0) else {
            throw CrosstieError(.invalidParameter, "the parameter \(Quotation.quoted(name)) holds a NUL", at: name)
        }
        return text
    }
}

extension RuleParameter {
    fileprivate func text(of value: Value) throws(CrosstieError) -> String {
        guard let text = type.text(of: value) else { throw refused("is not \(type.article)") }
        guard !text.utf8.contains(0) else { throw refused("holds a NUL") }
        return text
    }
}
