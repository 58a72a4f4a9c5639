/// A number as JSON writes it, looked at without reading it: nothing is allocated where URLs are matched.
enum DecimalText {
    /// The middle between the largest double and the next power of two: a number of this size or larger is read as
    /// infinite.
    private static let overflow: StaticString = """
        179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330\
        286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069\
        855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792
        """

    /// Whether a text of `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?` is a finite double.
    static func isFinite(_ text: UnsafeRawBufferPointer) -> Bool {
        var shift = 0
        var first = -1
        var pointAt = -1
        var digits = 0
        let start = text.first == 0x2D ? 1 : 0
        for at in start..<text.count {
            let byte = text[at]
            if byte | 0x20 == 0x65 {
                shift = exponent(text, from: at + 1)
                break
            }
            if byte == 0x2E {
                pointAt = digits
                continue
            }
            if first < 0, byte != 0x30 { first = digits }
            digits += 1
        }
        guard first >= 0 else { return true }
        // The number is 0.d₁d₂d₃… times ten to this power.
        let power = (pointAt < 0 ? digits : pointAt) - first + shift
        guard power == overflow.utf8CodeUnitCount else { return power < overflow.utf8CodeUnitCount }
        return isBelowOverflow(text, digitsFrom: first, start)
    }

    /// The exponent, cut off far beyond what any text of a URL could make up for by its digits.
    private static func exponent(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var value = 0
        for at in start..<text.count where ASCII.isDigit(text[at]) {
            value = min(value * 10 + Int(text[at] &- 0x30), 1 << 20)
        }
        return start < text.count && text[start] == 0x2D ? -value : value
    }

    /// Compares the significant digits with those of the overflow.
    private static func isBelowOverflow(_ text: UnsafeRawBufferPointer, digitsFrom first: Int, _ start: Int) -> Bool {
        let limit = UnsafeBufferPointer(start: overflow.utf8Start, count: overflow.utf8CodeUnitCount)
        var (seen, compared) = (0, 0)
        for byte in text[start...] where byte != 0x2E {
            guard ASCII.isDigit(byte), compared < limit.count else { break }
            seen += 1
            guard seen > first else { continue }
            if byte != limit[compared] { return byte < limit[compared] }
            compared += 1
        }
        // Digits that the text lacks are zero, and the limit's own last digit is one.
        return compared < limit.count && limit[compared...].contains { $0 != 0x30 }
    }
}
