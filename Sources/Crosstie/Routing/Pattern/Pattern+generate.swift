/// A text with a name: a parameter or a pair of a query.
package typealias NamedText = (name: String, value: String)

extension Pattern {
    /// A URL that the pattern matches with these parameters.
    ///
    /// Opening it gives the same parameters back, UUIDs in lower case, unless a more precise route takes it.
    ///
    /// - Parameters:
    ///   - named: a text for each of the pattern's parameters, in any order.
    ///   - query: pairs for the query, in their order.
    /// - Throws: *invalidParameter* for a missing, surplus or repeated parameter, or a value that the pattern cannot match;
    ///   its location names the parameter. *limitExceeded* for a URL that would be too long.
    package func generate(named: [NamedText], query: [NamedText] = []) throws(CrosstieError) -> String {
        let names = parameterNames
        var values: [String] = []
        for name in names {
            let texts = named.filter { $0.name == name }
            guard let value = texts.first?.value else { throw .parameter(name, "is missing") }
            guard texts.count == 1 else { throw .parameter(name, "is given more than once") }
            values.append(value)
        }
        if let surplus = named.first(where: { !names.contains($0.name) }) {
            throw .parameter(surplus.name, "is not one of the pattern")
        }
        return try generate(positional: values, query: query)
    }

    /// The same with the parameters in path order.
    package func generate(positional values: [String], query: [NamedText] = []) throws(CrosstieError) -> String {
        let names = parameterNames
        guard values.count >= names.count else { throw .parameter(names[values.count], "is missing") }
        guard values.count == names.count else { throw .parameter("\(names.count)", "is surplus") }
        guard !isFallback else {
            throw CrosstieError(.invalidParameter, "a pattern that takes every URL of its scheme makes none of its own")
        }
        guard !segments.contains(where: { $0.kind == .skip }) else {
            throw CrosstieError(
                .invalidParameter, "a '~' matches any text, so the pattern does not say which URL to make", at: "~")
        }
        var url = URLText(scheme: text[..<schemeLength])
        var next = 0
        for (index, segment) in segments.enumerated() {
            var value: [UInt8] = []
            if segment.captures {
                value = try checked(values[next], of: names[next], for: segment, isHost: index == 0)
                next += 1
            }
            url.add(value, literal: bytes(segment.literal), of: segment.kind, isHost: index == 0)
        }
        if segments.count == 1 { url.bytes.append(0x2F) }
        url.add(query: query)
        return try url.finished()
    }

    /// The value's bytes, when the segment can match them.
    private func checked(
        _ value: String, of name: String, for segment: PatternSegment, isHost: Bool
    ) throws(CrosstieError) -> [UInt8] {
        let bytes = segment.type == .uuid ? value.utf8.map(ASCII.lower) : Array(value.utf8)
        if let objection = objection(to: bytes, in: segment, isHost: isHost) { throw .parameter(name, objection) }
        return bytes
    }

    /// Why the segment does not match a text; `nil` when it does.
    private func objection(to bytes: [UInt8], in segment: PatternSegment, isHost: Bool) -> String? {
        if bytes.contains(where: ASCII.isControl) { return "holds a control byte" }
        if segment.kind == .rest { return Self.objection(toRest: bytes) }
        if bytes.isEmpty { return "is empty" }
        if isHost, segment.kind == .parameter, bytes.withUnsafeBytes(HostName.isAddressInBrackets) { return nil }
        guard bytes.withUnsafeBytes(segment.type.accepts) else {
            return segment.type == .string
                ? "holds a slash or a backslash, which only a parameter of type any takes"
                : "is not of type \(segment.type.name)"
        }
        let whole = bytes + self.bytes(segment.literal)
        if isHost {
            let problem = whole.withUnsafeBytes { HostName.problem(in: $0, web: isWeb) }
            return problem.map { "makes no host: \($0.reason.message)" }
        }
        return Self.isDots(whole[...]) ? "makes a segment '.' or '..'" : nil
    }

    private static func objection(toRest bytes: [UInt8]) -> String? {
        if bytes.contains(0x5C) { return "holds a backslash, which only a parameter of type any takes" }
        guard let first = bytes.first else { return "is empty" }
        guard first != 0x2F else { return "begins with a slash" }
        let pieces = bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
        return pieces.contains(where: isDots) ? "holds a segment '.' or '..'" : nil
    }

    private static func isDots(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...2).contains(bytes.count) && bytes.allSatisfy { $0 == 0x2E }
    }
}

extension CrosstieError {
    fileprivate static func parameter(_ name: String, _ what: String) -> CrosstieError {
        CrosstieError(.invalidParameter, "the parameter \(Quotation.quoted(name)) \(what)", at: name)
    }
}
