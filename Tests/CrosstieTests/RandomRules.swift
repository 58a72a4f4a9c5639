@testable import Crosstie

extension Value {
    /// A good document of random rules.
    static func randomRules(using random: inout SplitMix, rules: ClosedRange<Int> = 0...12) -> Value {
        var document = ValueMap()
        if Bool.random(using: &random) { document["comment"] = .random(using: &random, depth: 2, bytes: false) }
        document["format"] = 1
        document["version"] = .string("\(random.next() % 3).\(random.next() % 20).\(random.next() % 5)")
        document["publicSchemes"] = .list([.string("pub"), .string("a+b")].dropLast(Int(random.next() % 2)))
        document["privateSchemes"] = random.next() % 2 == 0 ? [] : ["int"]
        document["routeHosts"] = ["route", "shop"]
        document["webHosts"] = random.next() % 2 == 0 ? [] : ["m.example.com"]
        document["rules"] = .list(
            (0..<Int.random(in: rules, using: &random)).map { randomRule(number: $0, using: &random) })
        return .map(document)
    }

    /// No two of different numbers have the same shape.
    private static func randomRule(number: Int, using random: inout SplitMix) -> Value {
        let path = randomPath(number: number, using: &random)
        var rule = ValueMap([("id", .string("r\(number)"))])
        rule["host"] = .string(["route", "shop", ""].randomElement(using: &random) ?? "")
        rule["path"] = .string(path)
        rule["visibility"] = Bool.random(using: &random) ? "public" : "private"
        if Bool.random(using: &random) { rule["target"] = .string("python:m:T\(random.next() % 4)") }
        if Bool.random(using: &random) { rule["paramsTargets"] = ["linux": "P", "x-why": nil, "ios": "Q"] }
        if Bool.random(using: &random) { rule["openType"] = "push" }
        if Bool.random(using: &random) { rule["animated"] = .bool(.random(using: &random)) }
        if Bool.random(using: &random) { rule["params"] = randomParams(path, using: &random) }
        if Bool.random(using: &random) { rule["remark"] = .string(randomString(using: &random)) }
        if Bool.random(using: &random) { rule["x-note"] = .random(using: &random, depth: 3, bytes: false) }
        return .map(rule)
    }

    private static func randomPath(number: Int, using random: inout SplitMix) -> String {
        let segments = ["a", "日本", ":p", ":q<int>", ":r<word>", ":s.html", "~", ":t<any>", ":u<uuid>", ":v<float>"]
        var path = ""
        for segment in segments.shuffled(using: &random).prefix(Int(random.next() % 4)) { path += "/\(segment)" }
        path += "/n\(number)"
        return path + (["", "/:w", "/*x", "/"].randomElement(using: &random) ?? "")
    }

    private static func randomParams(_ path: String, using random: inout SplitMix) -> Value {
        var params = ValueMap()
        if path.contains("/:p") { params["p"] = "bool" }
        if path.contains(":q<int>") { params["q"] = "int" }
        for name in ["k", "a b", "é", "comment", "k.k"] where Bool.random(using: &random) {
            let type = ParameterType.allCases.randomElement(using: &random) ?? .any
            params[name] = ["type": .string("\(type.name)"), "required": .bool(.random(using: &random))]
        }
        params["d"] = ["type": "float", "default": .double(Double(random.next() % 100) / 8)]
        return .map(params)
    }
}

extension Rule {
    /// Values for all of its parameters, most of which a URL can hold.
    func randomParameters(using random: inout SplitMix) -> ValueMap {
        var values = ValueMap()
        for parameter in parameters { values[parameter.name] = parameter.type.randomValue(using: &random) }
        for segment in (try? parsedPath())?.segments ?? [] where segment.captures {
            let name = (try? parsedPath())?.string(segment.name) ?? ""
            if values[name] == nil { values[name] = .string(segment.type.randomText(using: &random)) }
        }
        if Bool.random(using: &random) { values["other"] = .string(Value.randomString(using: &random)) }
        return values
    }
}

extension ParameterType {
    func randomValue(using random: inout SplitMix) -> Value {
        switch self {
        case .int: .int(Value.randomInt(using: &random))
        case .uint: .int(Value.randomInt(using: &random) & .max)
        case .float: .double(Value.randomDouble(using: &random))
        case .bool: .bool(.random(using: &random))
        default: .string(randomText(using: &random))
        }
    }

    /// A text of the type, as a path without a declared parameter has it.
    fileprivate func randomText(using random: inout SplitMix) -> String {
        switch self {
        case .uuid:
            return "01234567-89ab-cdef-0123-" + String(String(1 << 48 + random.next() >> 16, radix: 16).suffix(12))
        case .word: return "w\(random.next() % 1000)-_"
        case .string, .any: return "s" + Value.randomString(using: &random).filter { $0 != "/" && $0 != "\\" }
        default: return text(of: randomValue(using: &random)) ?? ""
        }
    }
}
