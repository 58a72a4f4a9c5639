/// Texts for a server's engine.
enum ServerText {
    /// Whether a text is UTF-8, not empty, and without control characters, which would end a line of a server's protocol.
    static func isUsable(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && bytes.withUnsafeBytes { isUTF8($0) }
    }
}
