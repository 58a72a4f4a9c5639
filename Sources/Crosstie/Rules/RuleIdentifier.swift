/// The ids of rules: `[A-Za-z_][A-Za-z0-9_.-]*`, at most 128 bytes, as components and actions are named.
enum RuleIdentifier {
    static func checked(_ value: Value) throws(CrosstieError) -> String {
        let id = try value.text()
        guard let first = id.utf8.first, ASCII.isName(first), !ASCII.isDigit(first), id.utf8.count <= RuleLimits.name,
            id.utf8.allSatisfy({ ASCII.isWord($0) || $0 == 0x2E })
        else {
            throw CrosstieError(.format, "an id is [A-Za-z_][A-Za-z0-9_.-]*, at most \(RuleLimits.name) bytes")
        }
        return id
    }

    /// The id of a rule in the older form, which has none: host and path with a dot between the segments, so
    /// `route` and `/home/search` make `route.home.search`.
    ///
    /// Every byte that an id or a segment of one cannot hold becomes `_`. Where the id does not tell the path any more,
    /// because bytes were replaced or it would be too long, eight digits of a hash of host and path follow after `-`.
    /// It depends on nothing else, so a rule keeps its id when others come and go.
    static func made(host: String, path: String) -> String {
        var (bytes, isExact) = readable(host: host, path: path)
        if bytes.count > RuleLimits.name { isExact = false }
        guard !isExact else { return String(decoding: bytes, as: UTF8.self) }
        bytes.removeLast(max(0, bytes.count - (RuleLimits.name - 9)))
        return String(decoding: bytes, as: UTF8.self) + "-" + hash(host + path)
    }

    /// Host and path as far as an id can tell them, and whether they can be told from it.
    private static func readable(host: String, path: String) -> (bytes: [UInt8], isExact: Bool) {
        var isExact = !host.isEmpty && !ASCII.isDigit(host.utf8.first ?? 0) && path.utf8.last != 0x2F
        var bytes: [UInt8] = isExact ? [] : [0x5F]
        for byte in host.utf8 {
            isExact = isExact && byte != 0x2E
            bytes.append(ASCII.isWord(byte) ? byte : 0x5F)
        }
        for byte in path.utf8 {
            isExact = isExact && (ASCII.isWord(byte) || byte == 0x2F)
            bytes.append(byte == 0x2F ? 0x2E : ASCII.isWord(byte) ? byte : 0x5F)
        }
        return (bytes, isExact)
    }

    /// The 32-bit FNV-1a hash in hexadecimal digits.
    private static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
