import Testing

@testable import Crosstie

@Suite struct RuleParameterTests {
    private func parameter(_ type: ParameterType) -> RuleParameter {
        RuleParameter(name: "p", type: type, isRequired: false, default: nil, notes: ValueMap())
    }

    private func convert(_ type: ParameterType, _ text: String) throws(CrosstieError) -> Value {
        try Array(text.utf8).withRawBytes { bytes throws(CrosstieError) in try parameter(type).convert(bytes) }
    }

    @Test(
        arguments: [
            (.int, "0", 0), (.int, "-0", 0), (.int, "-12", -12),
            (.int, "9223372036854775807", .int(.max)), (.int, "-9223372036854775808", .int(.min)),
            (.uint, "0", 0), (.uint, "9223372036854775807", .int(.max)),
            (.float, "0", 0.0), (.float, "-1", -1.0), (.float, "1.5", 1.5), (.float, "1e3", 1000.0),
            (.float, "1E+3", 1000.0), (.float, "-2.5e-3", -0.0025), (.float, "1e-400", 0.0),
            (.float, "179769313486231570000000000000000000000", 1.7976931348623157e38),
            (.bool, "true", true), (.bool, "false", false),
            (.uuid, "01234567-89AB-cdef-0123-456789ABCDEF", "01234567-89ab-cdef-0123-456789abcdef"),
            (.word, "a-Z_9", "a-Z_9"),
            (.string, "", ""), (.string, "a/b\\c é", "a/b\\c é"), (.string, "true", "true"),
            (.any, "", ""), (.any, "a/b", "a/b"),
        ] as [(ParameterType, String, Value)])
    func converts(type: ParameterType, text: String, expected: Value) throws {
        #expect(try convert(type, text) == expected)
    }

    @Test(
        arguments: [
            (.int, ["", " 1", "1 ", "+1", "01", "1.0", "1e3", "0x1", "a", "-", "９", "9223372036854775808"]),
            (.int, ["-9223372036854775809", "1_000", "--1", "1\0"]),
            (
                .uint,
                ["", "-1", "-0", "+1", "1.5", "9223372036854775808", "18446744073709551615", "18446744073709551616"]
            ),
            (
                .float,
                ["", ".5", "5.", "1e", "1e+", "+1", "01", "inf", "nan", "Infinity", "0x1p3", "1e309", "-1e999", "1,5"]
            ),
            (.bool, ["", "1", "0", "True", "TRUE", "yes", "true ", "fals"]),
            (.uuid, ["", "0123456789abcdef0123456789abcdef", "{01234567-89ab-cdef-0123-456789abcdef}"]),
            (.uuid, ["01234567-89ab-cdef-0123-456789abcdeg", "01234567-89ab-cdef-0123-456789abcde"]),
            (.word, ["", "a b", "a.b", "é", "a/b", "a\n"]),
        ] as [(ParameterType, [String])])
    func refuses(type: ParameterType, texts: [String]) {
        for text in texts {
            let error = #expect(throws: CrosstieError.self, "\(text)") { try convert(type, text) }
            #expect(error?.status == .invalidParameter && error?.location == "p")
            #expect(
                error?.message
                    == "the parameter 'p' is not \(type == .int || type == .uint ? type.article : "a \(type.name)")")
        }
    }

    /// Bytes that no URL can bring are refused all the same, and never repaired.
    @Test(arguments: ParameterType.allCases)
    func refusesWhatIsNoText(type: ParameterType) {
        for bytes: [UInt8] in [[0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80]] {
            let error = #expect(throws: CrosstieError.self) {
                try bytes.withRawBytes { bytes throws(CrosstieError) in try parameter(type).convert(bytes) }
            }
            #expect(error?.status == .invalidParameter)
        }
    }

    /// A value's text converts back to the value, for every value of the type.
    @Test(arguments: ParameterType.allCases)
    func textsComeBack(type: ParameterType) throws {
        var random = SplitMix(state: UInt64(type.rawValue))
        for _ in 0..<500 {
            let value = type.randomValue(using: &random)
            #expect(try convert(type, try #require(type.text(of: value))) == value)
        }
    }

    /// An integer is a float where a double holds it exactly.
    @Test func integersAreFloats() {
        #expect(ParameterType.float.text(of: -3) == "-3.0")
        #expect(ParameterType.float.text(of: .int(1 << 53)) == "9007199254740992.0")
        #expect(ParameterType.float.text(of: .int((1 << 53) + 1)) == nil)
    }

    /// A value of another kind has no text: nothing is turned into something else on the way.
    @Test func valuesOfOtherKindsHaveNoText() {
        let values: [Value] = [
            nil, true, 1, -1, 1.5, "a b", [], [:], .bytes([0x61]), .double(.nan), .double(.infinity),
        ]
        let counts: [ParameterType: Int] = [
            .int: 2, .uint: 1, .float: 3, .bool: 1, .word: 0, .uuid: 0, .string: 1, .any: 1,
        ]
        for (type, count) in counts { #expect(values.compactMap { type.text(of: $0) }.count == count, "\(type)") }
    }

    /// Two types overlap when one text is of both: the table is held against texts.
    @Test func typesOverlapWhereATextIsOfBoth() {
        let texts = ["1", "-1", "1.5", "true", "word-x", "a b", "01234567-89ab-cdef-0123-456789abcdef"]
        for type in ParameterType.allCases {
            for other in ParameterType.allCases {
                let shared = texts.contains { text in
                    Array(text.utf8).withUnsafeBytes { type.accepts($0) && other.accepts($0) }
                }
                #expect(type.overlaps(other) == shared, "\(type) and \(other)")
            }
        }
    }

    @Test func aRuleConvertsWhatItDeclares() throws {
        let document = try readRules(
            .document([
                .rule(
                    "a", "/a/:id",
                    [
                        "params": [
                            "n": ["type": "int", "required": true], "d": ["type": "float", "default": 2], "o": "bool",
                            "id": "word",
                        ]
                    ])
            ]))
        let texts: [String: [UInt8]] = ["id": Array("x".utf8), "n": Array("7".utf8), "other": Array("1".utf8)]
        let rule = document.rules[0]
        #expect(try rule.convert(texts) == ["n": 7, "d": 2.0, "id": "x"])
        var missing = texts
        missing["n"] = nil
        #expect { try rule.convert(missing) } throws: { ($0 as? CrosstieError)?.location == "n" }
        missing = texts.merging(["o": []]) { $1 }
        #expect { try rule.convert(missing) } throws: { ($0 as? CrosstieError)?.location == "o" }
    }
}

extension Rule {
    /// The values of texts by name.
    fileprivate func convert(_ texts: [String: [UInt8]]) throws -> Value {
        let buffers = texts.mapValues { text in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
            buffer.copyBytes(from: text)
            return buffer
        }
        defer { for buffer in buffers.values { buffer.deallocate() } }
        return .map(try convert { name throws(CrosstieError) in buffers[name].map { UnsafeRawBufferPointer($0) } })
    }
}
