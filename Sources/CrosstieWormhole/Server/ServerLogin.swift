/// The log-in in an address: `user:password`, or a token alone. Empty: not given.
struct ServerLogin {
    private(set) var user: [UInt8] = []
    private(set) var password: [UInt8] = []
    private(set) var token: [UInt8] = []

    init() {}

    init(_ text: ArraySlice<UInt8>) throws(CrosstieError) {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            token = try PercentText.decoded(text)
            return
        }
        user = try PercentText.decoded(text[..<colon])
        password = try PercentText.decoded(text[(colon + 1)...])
    }

    var isEmpty: Bool { user.isEmpty && token.isEmpty }
}
