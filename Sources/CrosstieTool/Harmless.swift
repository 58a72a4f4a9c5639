/// Texts of others as a terminal may be given them.
extension String {
    /// The same, with a sign in the place of whatever would move the cursor or steer the terminal, but for the ends of lines.
    var harmless: String { replacingSteering { $0 == "\n" ? "\n" : "\u{FFFD}" } }

    /// JSON of one line that means the same, with escapes in the place of that. It can only stand in its strings.
    var harmlessJSON: String {
        replacingSteering { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    private func replacingSteering(_ shown: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: \.steers) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.steers { text += shown(scalar) } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether a terminal may do something else than show it.
    var steers: Bool {
        if (0x20..<0x7F).contains(value) { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
