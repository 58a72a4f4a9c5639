import Testing

@testable import Crosstie

@Suite struct ParameterTypeTests {
    @Test(
        arguments: [
            (.int, ["0", "-0", "7", "-7", "9223372036854775807", "-9223372036854775808"]),
            (.uint, ["0", "9223372036854775807", "10"]),
            (
                .float,
                [
                    "0", "-0", "1.5", "-1.5e10", "1E+5", "1e-5", "0.0", "10", "0e0", "1.7976931348623157e308", "1e-999",
                    "0e999", "0.00001e312",
                ]
            ),
            (.bool, ["true", "false"]),
            (.uuid, ["01234567-89ab-cdef-0123-456789abcdef", "01234567-89AB-CDEF-0123-456789ABCDEF"]),
            (.word, ["a", "A-Z_09", "-", "_"]),
            (.any, ["a", "a/b", "\\", "é"]),
            (.string, ["a", "é", "*"]),
        ] as [(ParameterType, [String])])
    func accepts(type: ParameterType, texts: [String]) {
        for text in texts { #expect(Array(text.utf8).withUnsafeBytes(type.accepts), "\(type) \(text)") }
    }

    @Test(
        arguments: [
            (
                .int,
                ["", "-", "01", "-01", "+1", "1 ", "a", "9223372036854775808", "-9223372036854775809", "1.0", "--1"]
            ),
            (
                .uint,
                ["", "-1", "-0", "01", "9223372036854775808", "99999999999999999999", "123456789012345678901", "x"]
            ),
            (
                .float,
                [
                    "", ".5", "1.", "01", "1e", "1e+", "-", "+1", "NaN", "1.5.5", "1x", "00", "e5", "1.e5", "1e309",
                    "-1e400",
                    "1.7976931348623159e308", "1e99999999999999999999", "inf", "Infinity",
                ]
            ),
            (.bool, ["", "True", "1", "yes", "falsee"]),
            (
                .uuid,
                [
                    "", "01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcdeg",
                    "0123456789abcdef0123456789abcdef", "01234567x89ab-cdef-0123-456789abcdef",
                ]
            ),
            (.word, ["", "a b", "a.b", "é", "a/b"]),
            (.any, [""]),
            (.string, ["", "a/b", "a\\b"]),
        ] as [(ParameterType, [String])])
    func refuses(type: ParameterType, texts: [String]) {
        for text in texts { #expect(!Array(text.utf8).withUnsafeBytes(type.accepts), "\(type) \(text)") }
    }

    /// Reading decides what is finite; near the largest double every digit counts.
    @Test func aFloatIsWhatReadsAsAFiniteNumber() throws {
        var random = TestRandom(seed: 41)
        let overflow = "17976931348623158079372897140530341507993413271003782693617377898044496829276475"
        var counts = (finite: 0, infinite: 0)
        for _ in 0..<20_000 {
            var digits = String(overflow.prefix(Int.random(in: 1...40, using: &random)))
            for _ in 0..<Int.random(in: 0...3, using: &random) { digits += "\(random.next() % 10)" }
            if random.next() % 4 == 0 {
                digits = String(repeating: "0", count: Int(random.next() % 4) + 1) + "." + digits
            }
            let zeros = String(repeating: "0", count: Int(random.next() % 3) * 150)
            let text = (digits.contains(".") ? digits : digits + zeros) + "e\(Int.random(in: 0...320, using: &random))"
            let isNumber = digits.hasPrefix("0.") || !digits.hasPrefix("0")
            let value = try #require(Double(text))
            let isTaken = Array(text.utf8).withUnsafeBytes { ParameterType.float.accepts($0) }
            #expect(isTaken == (isNumber && value.isFinite), "\(text)")
            if value.isFinite { counts.finite += 1 } else { counts.infinite += 1 }
        }
        #expect(counts.finite > 2_000 && counts.infinite > 500)
    }
}
