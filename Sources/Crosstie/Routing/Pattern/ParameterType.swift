/// The types of path parameters, in order of precedence.
package enum ParameterType: UInt8, CaseIterable, Sendable {
    case uuid, bool, uint, int, float, word
    /// Any non-empty text, slashes and backslashes included.
    case any
    /// Any non-empty text without slashes and backslashes: a parameter without a type.
    case string

    package var name: StaticString {
        switch self {
        case .uuid: "uuid"
        case .bool: "bool"
        case .uint: "uint"
        case .int: "int"
        case .float: "float"
        case .word: "word"
        case .any: "any"
        case .string: "string"
        }
    }

    package init?(name: UnsafeRawBufferPointer) {
        guard let type = Self.allCases.first(where: { $0.name.withUTF8Buffer { $0.elementsEqual(name) } })
        else { return nil }
        self = type
    }

    /// Whether a text can be read as the type. The text may be from outside.
    package func accepts(_ text: UnsafeRawBufferPointer) -> Bool {
        guard !text.isEmpty else { return false }
        switch self {
        case .uuid: return Self.isUUID(text)
        case .bool: return text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8)
        case .uint: return Self.isInteger(text, signed: false)
        case .int: return Self.isInteger(text, signed: true)
        case .float: return Self.isFiniteNumber(text)
        case .word: return text.allSatisfy(ASCII.isWord)
        case .any: return true
        case .string: return !text.contains { $0 == 0x2F || $0 == 0x5C }
        }
    }

    /// 8-4-4-4-12 hexadecimal digits of either case.
    private static func isUUID(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count == 36 else { return false }
        for at in 0..<36 {
            let hyphen = at == 8 || at == 13 || at == 18 || at == 23
            guard hyphen ? text[at] == 0x2D : ASCII.hexValue(text[at]) < 16 else { return false }
        }
        return true
    }

    /// `-?(0|[1-9][0-9]*)` within the 64 bits of a value, which has a sign; without one for unsigned ones. The text is not
    /// empty.
    private static func isInteger(_ text: UnsafeRawBufferPointer, signed: Bool) -> Bool {
        let negative = text[0] == 0x2D
        let first = negative ? 1 : 0
        let count = text.count &- first
        guard signed || !negative, count > 0, count <= 20, count == 1 || text[first] != 0x30 else { return false }
        let limit: UInt64 = negative ? 1 << 63 : 1 << 63 - 1
        var value: UInt64 = 0
        for at in first..<text.count {
            guard ASCII.isDigit(text[at]) else { return false }
            let (tens, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, past) = tens.addingReportingOverflow(UInt64(text[at] &- 0x30))
            guard !over, !past, sum <= limit else { return false }
            value = sum
        }
        return true
    }

    /// JSON's number, `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`, within a double. Of most the digits need only be
    /// counted.
    private static func isFiniteNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        var rest = text[...]
        if rest.first == 0x2D { rest = rest.dropFirst() }
        let leadingZero = rest.first == 0x30
        let whole = dropDigits(&rest)
        guard whole == 1 || (whole > 1 && !leadingZero) else { return false }
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            guard dropDigits(&rest) > 0 else { return false }
        }
        guard let mark = rest.first, mark | 0x20 == 0x65 else {
            return rest.isEmpty && (whole <= 308 || DecimalText.isFinite(text))
        }
        rest = rest.dropFirst()
        if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
        let exponent = dropDigits(&rest)
        guard exponent > 0, rest.isEmpty else { return false }
        return exponent <= 2 && whole <= 200 || DecimalText.isFinite(text)
    }

    private static func dropDigits(_ text: inout Slice<UnsafeRawBufferPointer>) -> Int {
        let end = text.firstIndex { !ASCII.isDigit($0) } ?? text.endIndex
        defer { text = text[end...] }
        return end - text.startIndex
    }
}
