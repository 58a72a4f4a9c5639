/// Input in a message for people: control characters and what is not UTF-8 are escaped, and long input is cut.
package enum Quotation {
    /// Bytes of quoted input at most; a name or an identifier has no more.
    package static var maximumSize: Int { 128 }

    /// The input in quotes.
    package static func quoted(_ input: some Sequence<UInt8>) -> String { "'" + shown(input) + "'" }

    package static func quoted(_ input: String) -> String { quoted(input.utf8) }

    /// The input without quotes. Where it is cut, `…` follows.
    package static func shown(_ input: some Sequence<UInt8>) -> String {
        let bytes = Array(input.prefix(maximumSize + 1))
        return bytes.count > maximumSize ? escaped(bytes[..<end(of: bytes)]) + "…" : escaped(bytes[...])
    }

    package static func shown(_ input: String) -> String { shown(input.utf8) }

    /// A message that input has the wrong form, with the expected one.
    static func refused(_ input: String, _ kind: StaticString, _ grammar: String) -> String {
        "\(quoted(input)) is not \(kind): \(grammar)"
    }

    /// Where to cut so that no character is halved.
    private static func end(of bytes: [UInt8]) -> Int {
        var end = maximumSize
        while end > maximumSize - 4, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> String {
        var (text, harmless) = ("", bytes.startIndex)
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let size = harmfulSize(bytes[position...])
            if size > 0 {
                text += String(decoding: bytes[harmless..<position], as: UTF8.self)
                text += "\\u{" + String(scalar(bytes[position..<position + size]), radix: 16) + "}"
                harmless = position + size
            }
            position += max(size, 1)
        }
        return text + String(decoding: bytes[harmless...], as: UTF8.self)
    }

    /// The bytes of a first character that moves a terminal's cursor, or changes the direction or the line of the text; 0
    /// for any other.
    private static func harmfulSize(_ bytes: ArraySlice<UInt8>) -> Int {
        let bytes = Array(bytes.prefix(3))
        switch bytes.first {
        case nil: return 0
        case 0xC2?: return bytes.count > 1 && bytes[1] < 0xA0 ? 2 : 0
        case 0xE2?: return bytes.count > 2 && changesDirection(bytes[1], bytes[2]) ? 3 : 0
        case let first?: return first < 0x20 || first == 0x7F ? 1 : 0
        }
    }

    /// Of the characters U+2000 to U+2FFF.
    private static func changesDirection(_ second: UInt8, _ third: UInt8) -> Bool {
        switch (second, third) {
        case (0x80, 0x8E...0x8F), (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9): true
        default: false
        }
    }

    private static func scalar(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        guard let first = bytes.first, bytes.count > 1 else { return UInt32(bytes.first ?? 0) }
        return bytes.dropFirst().reduce(UInt32(first & (bytes.count == 2 ? 0x1F : 0x0F))) {
            $0 << 6 | UInt32($1 & 0x3F)
        }
    }
}
