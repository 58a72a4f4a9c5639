// Documents and rules as values. All of it is the current form, whatever form was read.

extension RuleDocument {
    /// The whole document. Its JSON, read again, gives the same document.
    package var value: Value {
        var map = ValueMap()
        map["format"] = .int(1)
        map["version"] = .string("\(version)")
        for kind in RuleListKind.allCases { map[kind.rawValue] = .list(lists[kind].map(Value.string)) }
        map["rules"] = .list(rules.map(\.declaration))
        return .map(map.adding(notes))
    }
}

extension Rule {
    /// The rule as its handler sees it: `target` and `paramsTarget` are those of the platform.
    package var value: Value {
        value(target: target.map(RuleTarget.one) ?? .none, paramsTarget: paramsTarget.map(RuleTarget.one) ?? .none)
    }

    /// The rule as a document declares it, with the targets of every platform.
    fileprivate var declaration: Value { value(target: declaredTarget, paramsTarget: declaredParamsTarget) }

    private func value(target: RuleTarget, paramsTarget: RuleTarget) -> Value {
        var map = ValueMap()
        map["id"] = .string(id)
        map["host"] = .string(host)
        map["path"] = .string(path)
        map["visibility"] = isPublic ? "public" : "private"
        target.write(to: &map, as: "target")
        paramsTarget.write(to: &map, as: "paramsTarget")
        map["openType"] = openType.map(Value.string)
        map["animated"] = isAnimated.map(Value.bool)
        if !parameters.isEmpty { map["params"] = .map(ValueMap(parameters.map { ($0.name, $0.value) })) }
        map["demo"] = demo.map(Value.string)
        map["remark"] = remark.map(Value.string)
        return .map(map.adding(notes))
    }
}

extension RuleTarget {
    fileprivate func write(to map: inout ValueMap, as key: String) {
        switch self {
        case .none: break
        case .one(let target): map[key] = .string(target)
        case .byPlatform(let targets): map[key + "s"] = .map(targets)
        }
    }
}

extension RuleParameter {
    /// The type's name where that says everything, else an object.
    fileprivate var value: Value {
        guard isRequired || `default` != nil || !notes.isEmpty else { return .string("\(type.name)") }
        var map = ValueMap()
        map["type"] = .string("\(type.name)")
        if isRequired { map["required"] = true }
        map["default"] = `default`
        return .map(map.adding(notes))
    }
}

extension ValueMap {
    fileprivate func adding(_ notes: ValueMap) -> ValueMap {
        var map = self
        for (key, value) in notes { map[key] = value }
        return map
    }
}
