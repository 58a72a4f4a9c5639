/// A parameter that a rule declares.
package struct RuleParameter: Sendable {
    package let name: String
    package let type: ParameterType
    /// Whether a URL without it is refused. True for every parameter that the path captures.
    package let isRequired: Bool
    /// The value of an optional parameter that the URL lacks; nil for none. It has the parameter's type.
    package let `default`: Value?
    let notes: ValueMap

    /// The value that a text of a URL stands for.
    ///
    /// - Parameter text: decoded, of the path or the query. `string` and `any` take every text, the empty one too;
    ///   a `uuid` becomes lower-case.
    /// - Throws: *invalidParameter*, its location the parameter's name, when the text is not of the type or beyond what a value
    /// holds.
    package func convert(_ text: UnsafeRawBufferPointer) throws(CrosstieError) -> Value {
        guard let value = type.value(of: text) else { throw refused("is not \(type.article)") }
        return value
    }

    /// An error about this parameter.
    func refused(_ what: String) -> CrosstieError {
        CrosstieError(.invalidParameter, "the parameter \(Quotation.quoted(name)) \(what)", at: name)
    }
}

extension Rule {
    /// The values of the declared parameters of one URL, in the order of declaration.
    ///
    /// - Parameter text: gives the text under a name, nil where the URL has none.
    /// - Throws: *invalidParameter*, located by the parameter's name, for one that is missing or malformed; the errors
    ///   of `text`.
    package func convert(
        _ text: (String) throws(CrosstieError) -> UnsafeRawBufferPointer?
    ) throws(CrosstieError) -> ValueMap {
        var values = ValueMap()
        for parameter in parameters {
            if let text = try text(parameter.name) {
                values[parameter.name] = try parameter.convert(text)
            } else if parameter.isRequired {
                throw parameter.refused("is missing")
            } else {
                values[parameter.name] = parameter.default
            }
        }
        return values
    }
}
