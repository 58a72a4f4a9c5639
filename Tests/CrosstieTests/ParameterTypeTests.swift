import Testing

@testable import Crosstie

@Suite struct ParameterTypeTests {
    @Test(
        arguments: [
            (.int, ["0", "-0", "7", "-7", "9223372036854775807", "-9223372036854775808"]),
            (.uint, ["0", "18446744073709551615", "10"]),
            (.float, ["0", "-0", "1.5", "-1.5e10", "1E+5", "1e-5", "0.0", "10", "0e0"]),
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
                ["", "-1", "-0", "01", "18446744073709551616", "99999999999999999999", "123456789012345678901", "x"]
            ),
            (.float, ["", ".5", "1.", "01", "1e", "1e+", "-", "+1", "NaN", "1.5.5", "1x", "00", "e5", "1.e5"]),
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
}
