/// The ids of rules: `[A-Za-z_][A-Za-z0-9_.-]*`, at most 128 bytes, as components and actions are named.
enum RuleIdentifier {
    static func checked(_ value: Value) throws(CrosstieError) -> String {
        let id = try value.text()
        guard Name.isValid(id) else {
            throw CrosstieError(.invalidFormat, Quotation.refused(id, "an id", Name.grammar))
        }
        return id
    }

    /// The id of a rule in the older form, which has none: host and path with a dot between the segments, so
    /// `route` and `/home/search` make `route.home.search`. A slash at the end counts no more than in a URL.
    ///
    /// Every byte that an id, or a segment of one, cannot hold becomes `_`. Where the id does not tell the path any
    /// more, because bytes were replaced or it would be too long, eight digits of a hash of host and path follow after
    /// `-`. It depends on nothing else, so a rule keeps its id when others come and go.
    static func made(host: String, path: String) -> String {
        let path = path.utf8.last == 0x2F ? Substring(path.dropLast()) : path[...]
        let start = host.utf8.first ?? 0
        let canStart = ASCII.isName(start) && !ASCII.isDigit(start)
        let isExact =
            canStart && host.utf8.allSatisfy(ASCII.isWord) && path.utf8.allSatisfy { ASCII.isWord($0) || $0 == 0x2F }
        var id = canStart ? [] : [UInt8(ascii: "_")]
        id += host.utf8.map { ASCII.isWord($0) ? $0 : 0x5F }
        id += path.utf8.map { $0 == 0x2F ? 0x2E : ASCII.isWord($0) ? $0 : 0x5F }
        guard !isExact || id.count > RuleLimits.name else { return String(decoding: id, as: UTF8.self) }
        return String(decoding: id.prefix(RuleLimits.name - 9), as: UTF8.self) + "-" + hash(host + path)
    }

    /// The 32-bit FNV-1a hash in hexadecimal digits.
    private static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
