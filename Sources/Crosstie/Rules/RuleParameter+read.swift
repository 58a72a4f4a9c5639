extension RuleParameter {
    /// Reads the declarations of a rule: a type's name, or an object with `type`, `required` and `default`.
    static func declared(_ value: Value) throws(CrosstieError) -> [RuleParameter] {
        try each(value) { name, value throws(CrosstieError) in
            var reader = RuleParameterReader()
            if case .string = value {
                reader.type = try RuleParameterReader.type(value)
            } else {
                try reader.take(all: value)
            }
            return try reader.finished(name)
        }
    }

    /// Reads the sample values of a rule in the older form, whose kinds are the types.
    static func sampled(_ value: Value) throws(CrosstieError) -> [RuleParameter] {
        try each(value) { name, value throws(CrosstieError) in
            let type: ParameterType? =
                switch value {
                case .int: .int
                case .string: .string
                case .bool: .bool
                case .double: .float
                default: nil
                }
            guard let type else {
                throw CrosstieError(
                    .invalidParameter, "a sample value is a text, a number or a boolean, not \(value.kindName)")
            }
            return RuleParameter(name: name, type: type, isRequired: false, default: nil, notes: ValueMap())
        }
    }

    /// Here every key is a parameter's name, `comment` too: a note would silently become a parameter.
    private static func each(
        _ value: Value, _ read: (String, Value) throws(CrosstieError) -> RuleParameter
    ) throws(CrosstieError) -> [RuleParameter] {
        let entries = try value.object()
        var parameters: [RuleParameter] = []
        for (name, value) in entries {
            do throws(CrosstieError) {
                try check(name: name)
                guard parameters.count < RuleLimits.parameters else {
                    throw CrosstieError(.limitExceeded, "a rule has at most \(RuleLimits.parameters) parameters")
                }
                parameters.append(try read(name, value))
            } catch {
                throw error.inside(name)
            }
        }
        return parameters
    }

    private static func check(name: String) throws(CrosstieError) {
        guard !name.isEmpty else { throw CrosstieError(.invalidParameter, "a parameter has no name") }
        guard name.utf8.count <= RuleLimits.name else {
            throw CrosstieError(.limitExceeded, "a parameter's name is at most \(RuleLimits.name) bytes")
        }
        guard !name.utf8.contains(where: ASCII.isControl) else {
            throw CrosstieError(.invalidParameter, "a parameter's name holds a control character")
        }
    }
}

/// Reads the declaration of one parameter.
private struct RuleParameterReader: RuleFields {
    static var what: StaticString { "a parameter" }

    var notes = ValueMap()
    var type: ParameterType?
    private var isRequired: Bool?
    private var fallback: Value?

    mutating func take(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        switch key {
        case "type": type = try Self.type(value)
        case "required": isRequired = try value.flag()
        case "default": fallback = value
        default: return false
        }
        return true
    }

    static func type(_ value: Value) throws(CrosstieError) -> ParameterType {
        let name = try value.text()
        guard let type = Array(name.utf8).withUnsafeBytes({ ParameterType(name: $0) }) else {
            let names = ParameterType.allCases.map { "\($0.name)" }.joined(separator: ", ")
            throw CrosstieError(.invalidParameter, "there is no type \(Quotation.quoted(name)); there are \(names)")
        }
        return type
    }

    func finished(_ name: String) throws(CrosstieError) -> RuleParameter {
        guard let type else { throw missing("type") }
        guard let fallback else {
            return RuleParameter(name: name, type: type, isRequired: isRequired == true, default: nil, notes: notes)
        }
        do throws(CrosstieError) {
            guard isRequired != true else {
                throw CrosstieError(.invalidParameter, "a required parameter has no default")
            }
            guard let value = type.normalized(fallback) else {
                throw CrosstieError(.invalidParameter, "the default is not \(type.article)")
            }
            return RuleParameter(name: name, type: type, isRequired: false, default: value, notes: notes)
        } catch {
            throw error.inside("default")
        }
    }
}

extension ParameterType {
    /// The value as converting its own text gives it; nil when it is not of the type.
    func normalized(_ value: Value) -> Value? {
        text(of: value).flatMap { text in Array(text.utf8).withUnsafeBytes { self.value(of: $0) } }
    }
}

extension RuleParameter {
    /// The parameters, those that the path captures required: a URL that the rule matches has them.
    ///
    /// - Throws: *invalidParameter* for one that the path captures and that has a default or a type it cannot have there.
    static func fitted(_ parameters: [RuleParameter], to path: Pattern) throws(CrosstieError) -> [RuleParameter] {
        let captures = path.segments.filter(\.captures)
        guard !captures.isEmpty, !parameters.isEmpty else { return parameters }
        var fitted = parameters
        for capture in captures {
            let name = path.string(capture.name)
            guard let index = fitted.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { continue }
            do throws(CrosstieError) {
                fitted[index] = try fitted[index].captured(as: capture.type)
            } catch {
                throw error.inside(name).inside("params")
            }
        }
        return fitted
    }

    private func captured(as other: ParameterType) throws(CrosstieError) -> RuleParameter {
        guard type.overlaps(other) else {
            throw CrosstieError(.invalidParameter, "the path captures \(other.article) and never \(type.article)")
        }
        guard `default` == nil else {
            throw CrosstieError(.invalidParameter, "the path captures it, so there is no use for a default").inside(
                "default")
        }
        return RuleParameter(name: name, type: type, isRequired: true, default: nil, notes: notes)
    }
}
