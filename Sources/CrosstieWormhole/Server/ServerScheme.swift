/// The beginning of an address, which names the library of its engine.
struct ServerScheme {
    let usesTLS: Bool

    init(_ name: ArraySlice<UInt8>) throws(CrosstieError) {
        switch String(decoding: name, as: UTF8.self) {
        case "nats": usesTLS = false
        case "tls": usesTLS = true
        default:
            let known = "an address begins with nats:// or tls://"
            let what = ServerScheme.isName(name) ? "\(Quotation.quoted(name)) is not known: " : ""
            throw CrosstieError(.unsupported, what + known, at: "group")
        }
    }

    /// Whether it can be shown; the text before `://` could be anything, such as a password.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        (1...16).contains(name.count) && name.allSatisfy { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
    }

    /// The name in the names of the library and of its one symbol.
    var family: String { "nats" }
}
