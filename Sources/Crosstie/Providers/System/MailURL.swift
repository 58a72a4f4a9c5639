/// A mail to be composed, as the `mailto` URL of RFC 6068 that `xdg-email` takes.
///
/// Its options --subject and --body would lose something: a text that is just "--help" is a wish for help there, and
/// its shell's `echo` takes backslashes for escapes (xdg-utils 1.1.3 on Debian 12).
struct MailURL {
    private var bytes = Array("mailto:?".utf8)

    /// Bytes of the URL. Linux hands programs arguments of 131,071 bytes, and composers get it with more around it.
    static var maximum: Int { 100_000 }

    /// - Throws: *invalidParameter* (a NUL in the body), *limitExceeded*.
    static func make(subject: String, body: String) throws(CrosstieError) -> String {
        guard !body.utf8.contains(0) else { throw CrosstieError(.invalidParameter, "a mail's text cannot hold a NUL") }
        var url = MailURL()
        // None gets shorter by escaping.
        if subject.utf8.count <= maximum, body.utf8.count <= maximum {
            if !subject.isEmpty { url.append(subject: subject) }
            if !subject.isEmpty, !body.isEmpty { url.bytes.append(UInt8(ascii: "&")) }
            if !body.isEmpty { url.append(body: body) }
            if url.bytes.count <= maximum { return String(decoding: url.bytes, as: UTF8.self) }
        }
        throw CrosstieError(.limitExceeded, "the mail is over \(maximum) bytes, written as a URL")
    }

    /// A header is one line.
    private mutating func append(subject: String) {
        bytes.append(contentsOf: "subject=".utf8)
        for byte in subject.utf8 { append(ASCII.isControl(byte) ? 0x20 : byte) }
    }

    /// Each end of a line, however it was written, is a CR and an LF.
    private mutating func append(body: String) {
        bytes.append(contentsOf: "body=".utf8)
        var isAfterReturn = false
        for byte in body.utf8 {
            let (isReturn, isFeed) = (byte == 0x0D, byte == 0x0A)
            if isReturn || (isFeed && !isAfterReturn) {
                append(0x0D)
                append(0x0A)
            } else if !isFeed {
                append(byte)
            }
            isAfterReturn = isReturn
        }
    }

    private mutating func append(_ byte: UInt8) {
        if ASCII.isUnreserved(byte) {
            bytes.append(byte)
        } else {
            bytes += [UInt8(ascii: "%"), ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
        }
    }
}
