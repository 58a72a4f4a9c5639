/// Foreign text that is safe for a terminal.
extension String {
    /// The text with a replacement for each character that would move the cursor or control the terminal, except line
    /// ends.
    var harmless: String { replacingSteering { $0 == "\n" ? "\n" : "\u{FFFD}" } }

    /// Equivalent one-line JSON with escapes for these characters, which can only occur in its strings.
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
    /// Whether a terminal may do something other than show it.
    var steers: Bool {
        if (0x20..<0x7F).contains(value) { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
