/// The escapes of the Desktop Entry Specification.
enum DesktopText {
    /// A text as the value of a key.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case " " where result.isEmpty: result += "\\s"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text of a value.
    static func unescaped(_ value: String) -> String {
        var result = ""
        var isEscaped = false
        for scalar in value.unicodeScalars {
            switch (isEscaped, scalar) {
            case (false, "\\"):
                isEscaped = true
                continue
            case (true, "n"): result += "\n"
            case (true, "r"): result += "\r"
            case (true, "t"): result += "\t"
            case (true, "s"): result += " "
            default: result.unicodeScalars.append(scalar)
            }
            isEscaped = false
        }
        return result
    }

    /// The value of `Exec` that starts a program with plain arguments and one URL.
    static func exec(_ program: String, _ arguments: [String] = []) -> String {
        escaped(([word(program)] + arguments + ["%u"]).joined(separator: " "))
    }

    /// A word of a command line, quoted if it must be. A percent sign begins a field code there.
    static func word(_ text: String) -> String {
        let text = text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
        if text.utf8.allSatisfy(isPlain) { return text }
        var result = "\""
        for scalar in text.unicodeScalars {
            if "\"`$\\".unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    /// The program in a value of `Exec`.
    static func firstWord(ofExec value: String) -> String {
        let line = unescaped(value)
        var word = ""
        var (isQuoted, isEscaped) = (false, false)
        for scalar in line.unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if scalar == "\"" {
                isQuoted.toggle()
                continue
            } else if isQuoted, scalar == "\\" {
                isEscaped = true
                continue
            } else if !isQuoted, scalar == " " || scalar == "\t" {
                break
            }
            word.unicodeScalars.append(scalar)
        }
        return word.replacingDoubledPercent
    }

    /// Whether a byte of a path means nothing to the desktop, to xdg-open 1.1.3 and to the shell that runs it.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "/._+,:@-".utf8.contains(byte)
        }
    }
}

extension String {
    fileprivate var replacingDoubledPercent: String {
        var result = ""
        var wasPercent = false
        for scalar in unicodeScalars {
            if wasPercent, scalar == "%" {
                wasPercent = false
                continue
            }
            wasPercent = scalar == "%"
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
