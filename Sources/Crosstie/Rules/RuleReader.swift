/// Reads one rule, in either form.
struct RuleReader: RuleFields {
    static var what: StaticString { "a rule" }

    let context: RuleContext
    var notes = ValueMap()
    var id: String?
    var host: String?
    var path: Pattern?
    var pathText = ""
    var isPublic: Bool?
    var isPrivate: Bool?
    var target = RuleTarget.none
    var paramsTarget = RuleTarget.none
    var classNames = RuleClassNames()
    var openType: String?
    var isAnimated: Bool?
    var demo: String?
    var remark: String?
    var parameters: [RuleParameter] = []

    private init(context: RuleContext) { self.context = context }

    static func rule(of value: Value, in context: RuleContext) throws(CrosstieError) -> Rule {
        var reader = RuleReader(context: context)
        try reader.take(all: value)
        return try reader.finished()
    }

    mutating func take(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        switch key {
        case "host": host = try checked(host: value)
        case "path": try take(path: value)
        case "visibility": try take(visibility: value)
        case "isPrivate": try take(isPrivate: value)
        case "openType": openType = try value.label(atMost: RuleLimits.name)
        case "animated": isAnimated = try value.flag()
        case "demo": demo = try value.text()
        case "remark": remark = try value.text()
        default: return try context.isOlder ? takeOlder(value, for: key) : takeCurrent(value, for: key)
        }
        return true
    }

    private func checked(host value: Value) throws(CrosstieError) -> String {
        let host = try value.text()
        guard host.isEmpty || context.lists.routeHosts.contains(host) else {
            let lists = context.isOlder ? "the option routeHosts" : "routeHosts"
            throw CrosstieError(.invalidFormat, "\(Quotation.quoted(host)) is not one of \(lists)")
        }
        return host
    }

    private mutating func take(path value: Value) throws(CrosstieError) {
        pathText = try value.text()
        guard pathText.utf8.first == 0x2F else { throw CrosstieError(.invalidPattern, "a path starts with '/'") }
        guard pathText.utf8.count <= RuleLimits.path else {
            throw CrosstieError(.limitExceeded, "a path is at most \(RuleLimits.path) bytes")
        }
        do throws(CrosstieError) {
            path = try Pattern(rulePath: pathText)
        } catch {
            let location = error.location.isEmpty ? "" : ", at \(error.location)"
            throw CrosstieError(error.status, error.message + location)
        }
    }

    private mutating func take(visibility value: Value) throws(CrosstieError) {
        let text = try value.text()
        guard text == "public" || text == "private" else {
            throw CrosstieError(.invalidFormat, "a rule is \"public\" or \"private\"")
        }
        isPublic = text == "public"
        try checkVisibility()
    }

    private mutating func take(isPrivate value: Value) throws(CrosstieError) {
        switch value {
        case .bool(let flag): isPrivate = flag
        case .int(0), .int(1): isPrivate = value == .int(1)
        default: throw CrosstieError(.invalidFormat, "isPrivate is true, false, 1 or 0")
        }
        try checkVisibility()
    }

    private func checkVisibility() throws(CrosstieError) {
        guard let isPublic, let isPrivate, isPublic == isPrivate else { return }
        throw CrosstieError(.invalidFormat, "visibility and isPrivate contradict each other")
    }
}

extension RuleReader {
    /// The rule, when everything is there and fits together.
    private consuming func finished() throws(CrosstieError) -> Rule {
        if id == nil, !context.isOlder { throw missing("id") }
        guard let host else { throw missing("host") }
        guard let path else { throw missing("path") }
        let isOpen = try visibility()
        if context.isOlder { (target, paramsTarget) = classNames.declared() }
        return Rule(
            id: id ?? RuleIdentifier.made(host: host, path: pathText), host: host, path: pathText,
            isPublic: isOpen, target: target.resolved(for: context.platform),
            paramsTarget: paramsTarget.resolved(for: context.platform), openType: openType, isAnimated: isAnimated,
            demo: demo, remark: remark, parameters: try RuleParameter.fitted(parameters, to: path),
            declaredTarget: target, declaredParamsTarget: paramsTarget, notes: notes)
    }

    /// A rule that does not say which origins may open it is refused, not public.
    private func visibility() throws(CrosstieError) -> Bool {
        if let isPublic { return isPublic }
        guard context.isOlder else { throw missing("visibility") }
        guard let isPrivate else { throw missing("isPrivate", or: "visibility") }
        return !isPrivate
    }
}

/// The fields of rules in the older form only.
extension RuleReader {
    mutating func takeOlder(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        guard key != "params" else {
            parameters = try RuleParameter.sampled(value)
            return true
        }
        return try classNames.take(value, for: key)
    }
}
