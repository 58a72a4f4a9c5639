import Testing

@testable import Crosstie

@Suite("Quoted input")
struct QuotationTests {
    @Test(
        "Control characters and those that change the direction are escaped",
        arguments: [
            ("plain", "plain"), ("", ""), ("é€𝄞", "é€𝄞"), ("a\nb", "a\\u{a}b"), ("\u{7F}", "\\u{7f}"),
            ("\u{85}x", "\\u{85}x"), ("\u{A0}", "\u{A0}"), ("\u{202E}abc", "\\u{202e}abc"), ("\u{2066}", "\\u{2066}"),
            ("\u{2010}", "\u{2010}"), ("\0", "\\u{0}"),
        ])
    func escaped(input: String, shown: String) {
        #expect(Quotation.shown(input) == shown)
        #expect(Quotation.quoted(input) == "'\(shown)'")
    }

    @Test("What is not UTF-8 is replaced")
    func replaced() {
        #expect(Quotation.shown([0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
        #expect(Quotation.shown([0xC2]) == "\u{FFFD}")
        #expect(Quotation.shown([0xE2, 0x80]) == "\u{FFFD}")
    }

    @Test("Long input is cut between characters")
    func cut() {
        let longest = String(repeating: "a", count: Quotation.maximumSize)
        #expect(Quotation.shown(longest) == longest)
        #expect(Quotation.shown(longest + "b") == longest + "…")
        #expect(Quotation.shown(String(longest.dropLast(2)) + "𝄞") == String(longest.dropLast(2)) + "…")
        #expect(Quotation.shown([UInt8](repeating: 0x80, count: 200)).hasSuffix("…"))
    }
}
