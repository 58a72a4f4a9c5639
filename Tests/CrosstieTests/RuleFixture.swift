@testable import Crosstie

/// A document's text as it comes from outside, in an allocation of exactly its size, so that a memory checker sees a
/// read past it.
func readRules(_ text: some Sequence<UInt8>, options: RuleLoadOptions = RuleLoadOptions()) throws -> RuleDocument {
    let bytes = Array(text)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    return try RuleDocument.read(UnsafeRawBufferPointer(memory), options: options)
}

func readRules(_ text: String, options: RuleLoadOptions = RuleLoadOptions()) throws -> RuleDocument {
    try readRules(text.utf8, options: options)
}

func readRules(_ document: Value, options: RuleLoadOptions = RuleLoadOptions()) throws -> RuleDocument {
    try readRules(document.json(), options: options)
}

extension Value {
    /// A good document of these rules.
    static func document(_ rules: [Value], webHosts: [Value] = ["m.example.com"]) -> Value {
        [
            "format": 1, "version": "1.0.0", "publicSchemes": ["app"], "privateSchemes": ["app-int"],
            "routeHosts": ["route", "other"], "webHosts": .list(webHosts), "rules": .list(rules),
        ]
    }

    /// A good rule, with more entries or other ones.
    static func rule(_ id: String, _ path: String, _ entries: Value = [:]) -> Value {
        var rule = ValueMap([("id", .string(id)), ("host", "route"), ("path", .string(path)), ("visibility", "public")])
        for (key, value) in entries.mapValue ?? ValueMap() { rule[key] = value }
        return .map(rule)
    }
}
