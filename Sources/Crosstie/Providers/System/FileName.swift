/// Names of files that are made from what somebody else wrote.
enum FileName {
    /// Bytes of a name, including its extension.
    static var maximum: Int { 200 }
    private static var maximumEnding: Int { 32 }

    /// The first non-empty name of some, with the extension unless it has it already.
    ///
    /// The result is one component of a path, neither hidden nor like an option.
    static func make(from names: [String?], ending: String) -> String {
        let ending = cleaned(ending, maximum: maximumEnding)
        let suffix = ending.isEmpty ? "" : "." + ending
        for name in names {
            let name = cleaned(name ?? "", maximum: maximum)
            guard !name.isEmpty else { continue }
            return ends(name, with: suffix) ? name : cleaned(name, maximum: maximum - suffix.utf8.count) + suffix
        }
        return "shared" + suffix
    }

    private static func cleaned(_ text: String, maximum: Int) -> String {
        var clean = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            if clean.isEmpty, scalar == "." || scalar == "-" || scalar == " " { continue }
            let kept = isHarmless(scalar) ? scalar : "_"
            size += UTF8.width(kept)
            guard size <= maximum else { break }
            clean.append(kept)
        }
        return String(clean)
    }

    /// Excluded: slashes, controls, characters that change the direction of text and so hide an extension, and the
    /// quote with which xdg-email delimits the names of attachments for Thunderbird.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: false
        default: scalar != "/" && scalar != "\\" && scalar != "'"
        }
    }

    private static func ends(_ name: String, with suffix: String) -> Bool {
        name.utf8.suffix(suffix.utf8.count).map(ASCII.lower) == suffix.utf8.map(ASCII.lower)
    }
}
