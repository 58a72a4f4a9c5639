/// Making URLs of patterns and values.
package enum Generation {
    package static func url(
        ofRoute name: String, on bus: Handle, _ parameters: Value, query: Value
    ) throws(CrosstieError) -> String {
        let (text, scheme) = try source(ofRoute: name, on: bus)
        return try text.withRawBytes { bytes throws(CrosstieError) in
            try url(bytes, parameters, query: query, defaultScheme: scheme)
        }
    }

    /// The same as a string value of borrowed ones, which hold no foreign value; owned.
    package static func reference(
        ofRoute name: String, on bus: Handle, _ parameters: ValueRef, query: ValueRef
    ) throws(CrosstieError) -> ValueRef {
        let (text, scheme) = try source(ofRoute: name, on: bus)
        return try text.withRawBytes { bytes throws(CrosstieError) in
            try reference(bytes, parameters, query: query, defaultScheme: scheme)
        }
    }

    /// The text of a route's pattern, and the scheme of the patterns that have none.
    private static func source(
        ofRoute name: String, on bus: Handle
    ) throws(CrosstieError) -> (text: [UInt8], scheme: String) {
        try BusRecord.withState(bus) { _, state throws(CrosstieError) in
            guard let index = state.names[name], state.routes.contains(index),
                let info = RegistrationRecord.at(index)?.pointee.pattern
            else { throw CrosstieError(.notFound, "no route has the name \(Quotation.quoted(name))", at: name) }
            return (Array(info.text), state.defaultScheme)
        }
    }

    package static func reference(
        _ text: UnsafeRawBufferPointer, _ parameters: ValueRef, query: ValueRef = .null, defaultScheme: String = ""
    ) throws(CrosstieError) -> ValueRef {
        if let pattern = try? Pattern(text, orUnder: defaultScheme),
            let url = pattern.quickURL(parameters, query: query)
        {
            return url
        }
        let (parameters, query) = (Value(borrowing: parameters), Value(borrowing: query))
        return try ValueRef.string(try url(text, parameters, query: query, defaultScheme: defaultScheme))
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
