import Testing

@testable import Crosstie

@Suite struct FileNameTests {
    @Test(arguments: [
        ("report", "pdf", "report.pdf"),
        ("report.pdf", "pdf", "report.pdf"),
        ("Report.PDF", "pdf", "Report.PDF"),
        ("report.pdf", "", "report.pdf"),
        ("report", ".pdf", "report.pdf"),
        ("report", "tar.gz", "report.tar.gz"),
        ("pdf", "pdf", "pdf.pdf"),
        (".pdf", "pdf", "pdf.pdf"),
        ("../../etc/passwd", "txt", "_.._etc_passwd.txt"),
        ("/etc/passwd", "../sh", "_etc_passwd._sh"),
        ("--help", "", "help"),
        ("-.- a", "", "a"),
        (" . ", "x", "shared.x"),
        ("a\0b\nc\u{7F}d\u{85}e", "t\u{1B}", "a_b_c_d_e.t_"),
        ("invoice\u{202E}fdp.exe", "", "invoice_fdp.exe"),
        ("a',to='b\\c", "", "a_,to=_b_c"),
        ("Grüße \u{1F600}", "txt", "Grüße \u{1F600}.txt"),
        ("", "", "shared"),
    ]) func namesAreCleaned(_ name: String, _ ending: String, _ expected: String) {
        #expect(FileName.make(from: [name], ending: ending) == expected)
    }

    @Test func theFirstThatSaysSomethingCounts() {
        #expect(FileName.make(from: [nil, "", "..", "title"], ending: "md") == "title.md")
        #expect(FileName.make(from: ["name", "title"], ending: "md") == "name.md")
        #expect(FileName.make(from: [], ending: "md") == "shared.md")
    }

    @Test func namesAreBoundedAndStayUTF8() {
        for letter in ["a", "é", "€", "\u{1F600}"] {
            for length in [40, 200, 201, 100_000] {
                let name = FileName.make(from: [String(repeating: letter, count: length)], ending: "txt")
                #expect(name.utf8.count <= FileName.maximum && name.utf8.count > min(length, 190))
                #expect(name.hasSuffix(letter + ".txt") && !name.contains("\u{FFFD}"))
            }
        }
        #expect(FileName.make(from: ["a"], ending: String(repeating: "b", count: 1000)).utf8.count == 34)
    }
}
