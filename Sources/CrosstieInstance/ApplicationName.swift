/// The names that applications may have: they are names of directories, and of desktop files.
package enum ApplicationName {
    package static var maximumSize: Int { 200 }

    package static func check(_ name: String) throws(CrosstieError) {
        guard (1...maximumSize).contains(name.utf8.count) else {
            throw CrosstieError(
                .invalidIdentifier, "an application's name has 1 to \(maximumSize) bytes", at: "application")
        }
        guard let first = name.utf8.first, isLetterOrDigit(first),
            name.utf8.allSatisfy({ isLetterOrDigit($0) || "._-".utf8.contains($0) })
        else {
            throw CrosstieError(
                .invalidIdentifier,
                "\(Quotation.quoted(name)) is no name of an application: letters, digits, '.', '-' and '_', the first "
                    + "one a letter or a digit", at: "application")
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
