import Testing

@testable import Crosstie

@Suite struct PerformTargetTests {
    private func prefixSize(_ text: String) -> Int? {
        Array(text.utf8).withUnsafeBytes { PerformTarget.prefixSize(of: $0) }
    }

    @Test(arguments: [
        ("c:x", 1), ("python:shop.views:Cart", 6), ("swift:Cart", 5), ("a1:b", 2), ("c:lib.so:f", 1), ("x::", 1),
        ("x:\u{e9} \u{1F600}", 1), (String(repeating: "p", count: 32) + ":x", 32),
    ])
    func aPrefixAndWhatItFinds(_ text: String, _ size: Int) {
        #expect(prefixSize(text) == size)
    }

    @Test(arguments: [
        "", "c", ":", ":x", "c:", "1c:x", "_c:x", "c d:x", "c-d:x", "\u{e9}:x", "c:x\n", "c:\0", "c:\u{7F}",
        String(repeating: "p", count: 33) + ":x", "c:" + String(repeating: "x", count: 1023),
    ])
    func whatIsNoTarget(_ text: String) {
        #expect(prefixSize(text) == nil)
    }

    @Test func theStatusSaysWhatIsWrong() {
        func status(_ text: String) -> Status? {
            do throws(CrosstieError) {
                try withBytes(of: text) { bytes throws(CrosstieError) in try PerformTarget.check(bytes) }
                return nil
            } catch {
                return error.status
            }
        }
        #expect(status("c:" + String(repeating: "x", count: 1022)) == nil)
        #expect(status("c:" + String(repeating: "x", count: 1023)) == .limitExceeded)
        #expect(status("nothing") == .invalidIdentifier)
    }
}
