// Values of a rule's parameters. In a rule `string` is any text at all, for a query may hold anything.

extension ParameterType {
    /// The value that a decoded text stands for; nil when it is not of the type or beyond what a value holds.
    func value(of text: UnsafeRawBufferPointer) -> Value? {
        switch self {
        case .string, .any: return isUTF8(text) ? .string(String(decoding: text, as: UTF8.self)) : nil
        case _ where !accepts(text): return nil
        case .bool: return .bool(text.count == 4)
        case .uint, .int: return Int64(String(decoding: text, as: UTF8.self)).map(Value.int)
        case .float: return Self.double(text).map(Value.double)
        case .uuid: return .string(String(decoding: text.map(ASCII.lower), as: UTF8.self))
        case .word: return .string(String(decoding: text, as: UTF8.self))
        }
    }

    private static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The text of a URL that ``value(of:)`` gives back as this value (UUIDs in lower case); nil when the value is
    /// not of the type. An integer is also a float.
    func text(of value: Value) -> String? {
        switch (self, value) {
        case (.string, .string(let text)), (.any, .string(let text)): return text
        case (.uuid, .string(let text)): return accepts(text) ? text.lowercased() : nil
        case (.word, .string(let text)): return accepts(text) ? text : nil
        case (.bool, .bool(let flag)): return flag ? "true" : "false"
        case (.int, .int(let number)): return String(number)
        case (.uint, .int(let number)): return number >= 0 ? String(number) : nil
        case (.float, .int), (.float, .double):
            return value.doubleValue.flatMap { $0.isFinite ? $0.description : nil }
        default: return nil
        }
    }

    private func accepts(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { accepts($0) } }

    /// Whether some text is of both types.
    func overlaps(_ other: ParameterType) -> Bool {
        switch (self, other) {
        case (.string, _), (.any, _), (_, .string), (_, .any), (.word, _), (_, .word): true
        case (.uint, .int), (.uint, .float), (.int, .uint), (.int, .float), (.float, .uint), (.float, .int): true
        default: self == other
        }
    }

    /// The name with its article, for messages.
    var article: String {
        switch self {
        case .int: "an int"
        case .uint: "a uint below 2^63"
        case .any, .string: "a text"
        default: "a \(name)"
        }
    }
}
