/// A document's text, looked at before the JSON reader sees it.
///
/// The reader's own bounds are wider: these keep it from working long or going deep on a text that is refused anyway.
enum RuleText {
    static func check(_ text: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard text.count <= RuleLimits.text else {
            throw CrosstieError(.limitExceeded, "a rule document is at most \(RuleLimits.text) bytes")
        }
        guard !text.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw CrosstieError(.invalidFormat, "the document begins with a byte-order mark", at: "line 1, column 1")
        }
        if let deep = firstTooDeep(text) {
            throw CrosstieError(
                .limitExceeded,
                "over \(RuleLimits.depth) lists and objects are inside each other", at: position(deep, in: text)
            )
        }
    }

    /// The bracket that opens one level too many. On a text that is not JSON the answer may be either way.
    private static func firstTooDeep(_ text: UnsafeRawBufferPointer) -> Int? {
        var (depth, inString, isEscaped) = (0, false, false)
        for (offset, byte) in text.enumerated() {
            if inString {
                inString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth &+= 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth &-= 1
            default: continue
            }
            if depth > RuleLimits.depth { return offset }
        }
        return nil
    }

    /// Line and column as the JSON reader counts them: from 1, in characters.
    private static func position(_ offset: Int, in text: UnsafeRawBufferPointer) -> String {
        var (line, column) = (1, 1)
        for byte in text[..<offset] {
            if byte == UInt8(ascii: "\n") {
                (line, column) = (line &+ 1, 1)
            } else if byte & 0xC0 != 0x80 {
                column &+= 1
            }
        }
        return "line \(line), column \(column)"
    }
}
