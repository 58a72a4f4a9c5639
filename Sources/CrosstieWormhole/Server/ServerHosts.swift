internal import Glibc

/// The hosts of an address: `host:port,[::1]:port`, each with its port.
struct ServerHosts {
    private(set) var text: [UInt8] = []
    /// Whether all of them are this machine.
    private(set) var areLocal = true

    /// The port of a host without one.
    private static var usualPort: Int { 4222 }
    private static var maximumCount: Int { 32 }
    private static var maximumNameSize: Int { 253 }

    init(_ list: ArraySlice<UInt8>) throws(CrosstieError) {
        let items = list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard items.count <= ServerHosts.maximumCount else {
            throw CrosstieError(
                .limitExceeded, "an address has at most \(ServerHosts.maximumCount) hosts", at: "group")
        }
        for item in items { try add(item) }
    }

    private mutating func add(_ item: ArraySlice<UInt8>) throws(CrosstieError) {
        let end = try item.first == UInt8(ascii: "[") ? addNumber(item) : addName(item)
        let port = item[end...]
        guard port.isEmpty || port.first == UInt8(ascii: ":") else {
            throw ServerAddress.malformed("has something other than a port behind a host")
        }
        let number = try port.isEmpty ? ServerHosts.usualPort : ServerHosts.port(port.dropFirst())
        text += Array(":\(number)".utf8)
    }

    /// Adds a name or an IPv4 address. Gives the index behind it.
    private mutating func addName(_ item: ArraySlice<UInt8>) throws(CrosstieError) -> Int {
        let name = item.prefix { $0 != UInt8(ascii: ":") }
        guard (1...ServerHosts.maximumNameSize).contains(name.count), name.allSatisfy(ServerHosts.isOfName) else {
            throw ServerAddress.malformed("has a host that is empty or has a character that no host has")
        }
        add(name, isLocal: ServerHosts.isLocal(name))
        return name.endIndex
    }

    /// Adds an IPv6 address in brackets. Gives the index behind it.
    private mutating func addNumber(_ item: ArraySlice<UInt8>) throws(CrosstieError) -> Int {
        let number = item.dropFirst().prefix { $0 != UInt8(ascii: "]") }
        var bytes = in6_addr()
        let isNumber = number.endIndex < item.endIndex && number.allSatisfy(ServerHosts.isOfNumber)
        guard isNumber, inet_pton(AF_INET6, String(decoding: number, as: UTF8.self), &bytes) == 1 else {
            throw ServerAddress.malformed("has brackets around something other than an IPv6 address")
        }
        let isLocal = withUnsafeBytes(of: bytes) { $0.last == 1 && $0.dropLast().allSatisfy { $0 == 0 } }
        add(item[item.startIndex...number.endIndex], isLocal: isLocal)
        return number.endIndex + 1
    }

    private mutating func add(_ host: ArraySlice<UInt8>, isLocal: Bool) {
        if !text.isEmpty { text.append(UInt8(ascii: ",")) }
        text += host
        areLocal = areLocal && isLocal
    }

    private static func port(_ digits: ArraySlice<UInt8>) throws(CrosstieError) -> Int {
        let areDigits = (1...5).contains(digits.count) && digits.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        let number = areDigits ? digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) } : 0
        guard (1...65_535).contains(number) else {
            throw ServerAddress.malformed("has a port that is not a number from 1 to 65535")
        }
        return number
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 6 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: ":")
    }

    /// `localhost`, or in 127.0.0.0/8.
    private static func isLocal(_ name: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: name.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
        var bytes = in_addr()
        guard inet_pton(AF_INET, text, &bytes) == 1 else { return text == "localhost" }
        return withUnsafeBytes(of: bytes) { $0[0] == 127 }
    }
}
