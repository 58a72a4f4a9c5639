import Crosstie

/// A URL scheme that an application can have for its own.
struct URLScheme: Hashable {
    let text: String

    /// The type by which desktops know the scheme.
    var mimeType: String { DesktopEntry.mimePrefix + text }

    /// Throws a refusal for a scheme that no application can have.
    init(_ text: String) throws {
        let refusal = "the scheme '\(text)' is refused"
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            text.utf8.allSatisfy(URLScheme.isAllowed), text.utf8.count <= URLLimits.scheme
        else {
            throw Refusal(
                "\(refusal): a scheme has a lower-case letter, then lower-case letters, digits, '+', '-' and '.', "
                    + "at most \(URLLimits.scheme) together")
        }
        guard !reservedSchemes.contains(text) else {
            throw Refusal("\(refusal): it cannot be an application's own scheme")
        }
        self.text = text
    }

    /// The pitfalls of a scheme that is allowed.
    var warnings: [SchemeWarning] {
        var warnings: [SchemeWarning] = []
        if !text.contains(".") && !text.contains("-") {
            warnings.append(
                SchemeWarning(
                    .shortName,
                    "the scheme '\(text)' has neither a dot nor a dash: another application may have the same"))
        }
        if text.utf8.contains(where: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
            warnings.append(
                SchemeWarning(
                    .digit,
                    "the scheme '\(text)' has a digit: xdg-open 1.1.3 takes its URLs for files where it does "
                        + "not hand them to the desktop's own program"))
        }
        return warnings
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "+-.".utf8.contains(byte)
        }
    }
}
