/// The address of a group on a server: `nats://user:password@host:port,host2/group`. Its errors do not quote it, since it
/// may hold secrets.
struct ServerAddress {
    let scheme: ServerScheme
    let login: ServerLogin
    let hosts: ServerHosts
    let group: String

    /// The longest address.
    static var maximumSize: Int { 4096 }

    /// Nil for a text without `://`, which is the name of a group on this machine.
    static func find(in text: String) throws(CrosstieError) -> ServerAddress? {
        let bytes = Array(text.utf8)
        guard let mark = mark(in: bytes) else { return nil }
        let scheme = try ServerScheme(bytes[..<mark])
        guard bytes.count <= maximumSize else {
            throw CrosstieError(.limitExceeded, "an address has at most \(maximumSize) bytes", at: "group")
        }
        return try ServerAddress(scheme, bytes[(mark + 3)...])
    }

    /// The index of `://`.
    private static func mark(in bytes: [UInt8]) -> Int? {
        bytes.indices.dropLast(2).first {
            bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: "/") && bytes[$0 + 2] == UInt8(ascii: "/")
        }
    }

    /// - Parameter rest: all behind `://`.
    private init(_ scheme: ServerScheme, _ rest: ArraySlice<UInt8>) throws(CrosstieError) {
        self.scheme = scheme
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let authority = rest[..<end]
        let at = authority.firstIndex(of: UInt8(ascii: "@"))
        login = try at.map { at throws(CrosstieError) in try ServerLogin(authority[..<at]) } ?? ServerLogin()
        hosts = try ServerHosts(at.map { authority[($0 + 1)...] } ?? authority)
        let name = Array(rest[end...].dropFirst())
        guard name.withUnsafeBytes({ Identifier($0) != nil }) else {
            throw CrosstieError(
                .invalidIdentifier,
                "the address does not end with / and the group's name; a / in a password is written %2F", at: "group")
        }
        group = String(decoding: name, as: UTF8.self)
    }

    /// The error of an address.
    static func malformed(_ what: StaticString) -> CrosstieError {
        CrosstieError(.invalidArgument, "the address \(what)", at: "group")
    }
}
