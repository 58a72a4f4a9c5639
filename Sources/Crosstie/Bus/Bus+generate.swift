extension Bus {
    /// Makes the URL that a pattern matches with these parameters: opening it gives the same back.
    ///
    /// - Parameters:
    ///   - pattern: as for ``route(_:isPublic:replacing:remark:handler:)``; it need not be registered.
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
