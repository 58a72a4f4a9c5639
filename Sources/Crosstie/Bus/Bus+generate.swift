extension Bus {
    /// Makes the URL that a pattern matches with these parameters: opening it gives the same back.
    ///
    /// - Parameters:
    ///   - pattern: as for ``route(_:isPublic:isReplacing:remark:handler:)``; it need not be registered.
    ///   - parameters: a map by name, or a list by position; texts, integers, doubles and booleans.
    /// - Throws: *invalidPattern*; *invalidParameter* (one is missing, surplus, or does not fit; the location names it);
    ///   *wrongType* (neither map nor list); *limitExceeded*; *invalidHandle* (the bus has closed).
    public func generate(_ pattern: String, _ parameters: Value = .null) throws(CrosstieError) -> String {
        let scheme = try BusRecord.withState(handle) { _, state in state.defaultScheme }
        return try withBytes(of: pattern) { text throws(CrosstieError) in
            try Generation.url(text, parameters, defaultScheme: scheme)
        }
    }
}

extension Bus {
    /// The same with the pattern of a route that is known by its name, and with a query.
    ///
    /// - Parameter query: a map of the keys and values of the query, in its order; a list for a key that occurs several
    ///   times.
    /// - Throws: *notFound* (no route of that name); *invalidParameter*, *wrongType*, *limitExceeded*, *invalidHandle*.
    public func generate(
        named name: String, _ parameters: Value = .null, query: Value = .null
    ) throws(CrosstieError) -> String {
        try Generation.url(ofRoute: name, on: handle, parameters, query: query)
    }
}

/// Making URLs of patterns and values.
package enum Generation {
    package static func url(
        ofRoute name: String, on bus: Handle, _ parameters: Value, query: Value
    ) throws(CrosstieError) -> String {
        let (text, scheme) = try BusRecord.withState(bus) { _, state throws(CrosstieError) in
            guard let index = state.names[name], state.routes.contains(index),
                let info = RegistrationRecord.at(index)?.pointee.pattern
            else { throw CrosstieError(.notFound, "no route has the name \(Quotation.quoted(name))", at: name) }
            return (Array(info.text), state.defaultScheme)
        }
        return try text.withRawBytes { bytes throws(CrosstieError) in
            try url(bytes, parameters, query: query, defaultScheme: scheme)
        }
    }

    package static func url(
        _ text: UnsafeRawBufferPointer, _ parameters: Value, query: Value = .null, defaultScheme: String = ""
    ) throws(CrosstieError) -> String {
        let query = try pairs(query)
        let pattern = try Pattern(text, orUnder: defaultScheme)
        switch parameters {
        case .null:
            return try pattern.generate(positional: [], query: query)
        case .list(let values):
            var texts: [String] = []
            for (position, value) in values.enumerated() { texts.append(try self.text(value, named: "\(position)")) }
            return try pattern.generate(positional: texts, query: query)
        case .map(let values):
            var texts: [NamedText] = []
            for (name, value) in values { texts.append((name, try self.text(value, named: name))) }
            return try pattern.generate(named: texts, query: query)
        default:
            throw CrosstieError(.wrongType, "parameters are a map or a list", at: "params")
        }
    }

    /// The keys and values of a query; a list is a key that occurs several times.
    private static func pairs(_ query: Value) throws(CrosstieError) -> [NamedText] {
        guard !query.isNull else { return [] }
        guard let map = query.mapValue else { throw CrosstieError(.wrongType, "a query is a map", at: "query") }
        var pairs: [NamedText] = []
        for (name, value) in map {
            for item in value.listValue ?? [value] { pairs.append((name, try text(item, named: name))) }
        }
        return pairs
    }

    private static func text(_ value: Value, named name: String) throws(CrosstieError) -> String {
        switch value {
        case .string(let text): return text
        case .int(let number): return String(number)
        case .double(let number) where number.isFinite: return "\(number)"
        case .bool(let flag): return flag ? "true" : "false"
        default:
            throw CrosstieError(
                .invalidParameter, "the parameter \(Quotation.quoted(name)) is of a kind that no URL can hold", at: name
            )
        }
    }
}

extension Pattern {
    /// A pattern's text, which begins with `/` only if there is a default scheme.
    package init(_ text: UnsafeRawBufferPointer, orUnder defaultScheme: String) throws(CrosstieError) {
        guard !defaultScheme.isEmpty else {
            self = try Pattern(text)
            return
        }
        self = try withBytes(of: defaultScheme) { scheme throws(CrosstieError) in
            try Pattern(text, defaultScheme: scheme)
        }
    }
}
