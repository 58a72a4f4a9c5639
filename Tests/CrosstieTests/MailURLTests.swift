import Testing

@testable import Crosstie

@Suite struct MailURLTests {
    private func status(_ subject: String, _ body: String) -> Status {
        do throws(CrosstieError) {
            _ = try MailURL.make(subject: subject, body: body)
            return .ok
        } catch {
            return error.status
        }
    }

    @Test(arguments: [
        ("", "", "mailto:?"),
        ("a", "", "mailto:?subject=a"),
        ("", "b", "mailto:?body=b"),
        ("a", "b", "mailto:?subject=a&body=b"),
        ("--help", "-n \\c", "mailto:?subject=--help&body=-n%20%5Cc"),
        ("a&body=c", "x=y&attach=/etc/passwd", "mailto:?subject=a%26body%3Dc&body=x%3Dy%26attach%3D%2Fetc%2Fpasswd"),
        (
            "1 2\r\n3\0\u{7F}", "1\n2\r\n3\r4\n\r\n",
            "mailto:?subject=1%202%20%203%20%20&body=1%0D%0A2%0D%0A3%0D%0A4%0D%0A%0D%0A"
        ),
        ("é'\"$(id)", "100%\t", "mailto:?subject=%C3%A9%27%22%24%28id%29&body=100%25%09"),
        ("", "\r\r\n", "mailto:?body=%0D%0A%0D%0A"),
    ]) func textsAreEscaped(_ subject: String, _ body: String, _ expected: String) throws {
        #expect(try MailURL.make(subject: subject, body: body) == expected)
    }

    @Test func theLengthIsBoundedToTheByte() {
        let room = MailURL.maximum - "mailto:?subject=a&body=".utf8.count
        #expect(status("a", String(repeating: "b", count: room)) == .ok)
        #expect(status("a", String(repeating: "b", count: room + 1)) == .limitExceeded)
        #expect(status("a", String(repeating: "b", count: room - 3) + "\n") == .limitExceeded)
        #expect(status(String(repeating: "é", count: 1 << 20), "") == .limitExceeded)
        #expect(status("", String(repeating: "\n", count: 1 << 20)) == .limitExceeded)
    }

    @Test func aBodyHoldsNoNUL() {
        #expect(status("", "a\0b") == .invalidParameter)
    }
}
