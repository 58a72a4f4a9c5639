/// A user, a password or a token in an address, where all but letters, digits and some marks is written `%XX`.
enum PercentText {
    /// - Throws: *invalidArgument* for one that is empty, is not written so, or decodes to what no server takes.
    static func decoded(_ text: ArraySlice<UInt8>) throws(CrosstieError) -> [UInt8] {
        var bytes: [UInt8] = []
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "%") else {
                guard isPlain(byte) else {
                    throw ServerAddress.malformed("has a character in its user or password that is written %XX")
                }
                bytes.append(byte)
                continue
            }
            guard position + 2 <= text.endIndex, let high = digit(text[position]),
                let low = digit(text[position + 1])
            else { throw ServerAddress.malformed("has a % in its user or password without two digits") }
            bytes.append(high << 4 | low)
            position += 2
        }
        guard ServerText.isUsable(bytes) else {
            throw ServerAddress.malformed(
                "has a user or a password that is empty, is not UTF-8, or has a control character")
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        if byte &- UInt8(ascii: "0") < 10 { return byte &- UInt8(ascii: "0") }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }

    /// RFC 3986: unreserved, a delimiter within a part, or a colon.
    private static func isPlain(_ byte: UInt8) -> Bool {
        if (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 { return true }
        return "-._~!$&'()*+,;=:".utf8.contains(byte)
    }
}
